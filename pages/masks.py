"""Masks: which query may look at which key, why, and what happens without."""

import streamlit as st

from core.analysis.lessons.mask_losses import losses_without
from core.analysis.lessons.masking import attended, leak, visible
from core.analysis.lessons.prefixes import compare_prefixes
from core.model.attention import attention_weights
from core.model.masks import causal_mask, decoder_mask, padding_mask
from core.model.probes import Remask
from pages.frame import cached, lesson, opening
from pages.frame.components import matrices
from pages.frame.lesson import Explanation, View
from pages.frame.text import _
from pages.views.masks import masks, pictures

LONGEST_PREFIX = 24
"""So many steps of a prefix table can be read."""


def render() -> None:
    """Ask for sentences and a view, and show it."""
    if (opened := opening.model_and_sentence()) is not None:
        lesson.show(VIEWS, opened, "masks")


def _received(opened: opening.Opened) -> None:
    chosen = masks.ask(opened, heads=False)
    matrices(pictures.received(chosen, masks.done(opened, chosen)), key="received_maps")
    st.caption(pictures.kinds_said(chosen.batch))
    lesson.explained(
        Explanation(
            formula=r"""\mathrm{visible}_{ij} = \underbrace{[\,x_j \neq \mathrm{PAD}\,]}_
            {\text{padding mask}} \;\wedge\; \underbrace{[\,j \le i\,]}_
            {\text{look-ahead mask, decoder self-attention only}}""",
            tries=(
                _("Make one of the other sentences longer: every map grows, filled with PAD."),
                _("Switch between the three attentions: only one of them looks ahead."),
                _("Delete all other sentences: without padding there is nothing to hide."),
            ),
            code=(padding_mask, causal_mask, decoder_mask),
        )
    )


def _prefixes(opened: opening.Opened) -> None:
    fed = opened.inspection.fed_tokens
    matrices(pictures.prefix_table(fed[:LONGEST_PREFIX]), key="prefix_maps")
    ids = opened.inspection.translation
    fed_ids = ids.fed_ids[:LONGEST_PREFIX]
    found = cached.of_model(compare_prefixes, opened.path, ids.source_ids, fed_ids)
    st.caption(pictures.prefixes_said(found, len(fed)))
    lesson.explained(
        Explanation(
            formula=r"""p(y_{i+1} \mid \mathrm{BOS}, y_1 \dots y_i) \quad\text{is row } i
            \text{ of one pass over}\quad \mathrm{BOS}\; y_1 \dots y_n""",
            tries=(
                _("Rest the pointer on a row: the same words are visible on both sides."),
                _("Type a longer sentence: one by one, the positions grow with its square."),
            ),
            code=(causal_mask, compare_prefixes),
        )
    )


def _softmax(opened: opening.Opened) -> None:
    chosen = masks.ask(opened, heads=True)
    found = masks.done(opened, chosen)
    matrices(pictures.score_steps(chosen, found), key="score_maps")
    st.caption(pictures.rows_said(chosen, found))
    lesson.explained(
        Explanation(
            formula=r"""w_{ij} = \frac{e^{s_{ij}}}{\sum_{j'} e^{s_{ij'}}}, \qquad
            s_{ij} = \begin{cases} q_i \cdot k_j / \sqrt{d_k} & \text{visible} \\ -\infty &
            \text{hidden} \end{cases}""",
            tries=(
                _("Find a hidden cell whose score was the largest of its row: its weight is 0."),
                _("Choose a shorter sentence of the batch: all its padding is hidden."),
            ),
            code=(attention_weights, attended),
        )
    )


def _without(opened: opening.Opened) -> None:
    chosen = masks.ask(opened, heads=True)
    off = masks.ask_without(chosen)
    found = masks.done(opened, chosen)
    changed = masks.done(opened, chosen, off)
    matrices(pictures.with_and_without(chosen, found, changed, off), key="leak_maps")
    st.caption(pictures.leak_said(chosen, off, changed.leak))
    masks.losses(opened)
    lesson.explained(
        Explanation(
            formula=r"""\mathrm{leak} = \frac{1}{|\text{rows}|} \sum_{i} \sum_{j \text{ hidden}}
            w_{ij}, \qquad \mathcal{L} = -\frac{1}{T} \sum_t \log p(y_t \mid y_{<t}, x)""",
            tries=(
                _(
                    "Decoder self-attention without look-ahead: the model could see the answer, "
                    "but has never learned to use it. Measure its loss below."
                ),
                _(
                    "Decoder self-attention without its padding mask: no row that is a word "
                    "changes, because PAD stands behind every word, where the look-ahead mask "
                    "hides it. Only the rows of PAD do, and nobody reads them."
                ),
                _("Cross-attention without its padding mask: measure what that costs below."),
            ),
            code=(visible, Remask, leak, losses_without),
        )
    )


VIEWS = (
    View(
        _("masks"),
        _(
            "Sentences of a batch are filled up with PAD to the longest; no query may look there. "
            "The decoder may not look ahead either. Hatched: hidden."
        ),
        _received,
    ),
    View(
        _("prefixes"),
        _(
            "Writing a sentence, the decoder is fed a growing prefix. In training one pass does "
            "all steps at once: the look-ahead mask shows row i the same words as prefix i."
        ),
        _prefixes,
    ),
    View(
        _("scores"),
        _(
            "A hidden score becomes −∞ before the softmax: its weight is exactly 0, and the row "
            "still sums to 1."
        ),
        _softmax,
    ),
    View(
        _("without"),
        _(
            "Switch masks off in all layers of the loaded model: weight leaks to the padding and "
            "to the future, and the loss says what that costs."
        ),
        _without,
    ),
)

if __name__ == "__main__":
    from app import main

    main()
