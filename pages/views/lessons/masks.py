"""Which token may look at which: padding and look-ahead masks, and the scores that they hide."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.model.masks import causal_mask, decoder_mask, padding_mask
from core.model.scoring import attention_weights
from core.studies.lessons.masks import LOOK_AHEAD, PADDING, HeadOfBatch
from core.studies.lessons.of_sentence import OfSentence, masked_head, sentence_prefixes
from pages.frame.components import matrices
from pages.frame.language import _, bound, n_, number
from pages.frame.maps import labels
from pages.frame.needs import Need
from pages.frame.notes import site_and_head
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, row
from pages.frame.view import Shown
from pages.views.lessons import batch, stacks
from pages.views.lessons.batch import Chosen
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

NEEDS = {
    "scores": (Need.DOT_PRODUCTS,),
    "prefixes": (Need.WRITING, Need.NEXT, Need.DECODER_SELF),
}
FORMULAS = {
    PADDING: r"\underbrace{[\,x_j \neq \mathrm{PAD}\,]}_{\text{padding mask}}",
    LOOK_AHEAD: r"\underbrace{[\,j \le i\,]}_{\text{look-ahead mask}}",
}
"""What each mask leaves visible."""
LONGEST = 24
"""Steps of a table that can be read."""


def draw(opened: Opened) -> Shown:
    """Draw the masks of a sentence, the scores that they hide, or the prefixes they stand for."""
    pictures = {
        "masks": _("the masks"),
        "scores": _("scores to weights"),
        "prefixes": _("prefixes"),
    }
    with row():
        picture = stacks.ask_picture(opened, "masks_shown", pictures, NEEDS)
        if picture != "prefixes":
            chosen = batch.ask(opened, heads=picture == "scores")
    if picture == "prefixes":
        return _prefixes(opened)
    batch.name_what_is_cut(chosen)
    return (_scores if picture == "scores" else _masks)(chosen)


def _masks(chosen: Chosen) -> Shown:
    recipe = _recipe(chosen)
    found = recipe.result().result
    titles = {
        PADDING: _("Padding mask: nobody looks at PAD"),
        LOOK_AHEAD: _("Look-ahead mask: nobody looks at what comes later"),
    }
    panels = [_mask(chosen, titles[name], mask_QK) for name, mask_QK in found.masks.items()]
    if len(panels) > 1:
        panels.append(_mask(chosen, _("Both together: what the decoder uses"), found.visible_QK))
    drawn = matrices(Matrices(panels=panels), key="received_maps")
    if chosen.opened.run.settings.model.is_parallel:
        st.caption(_("A parallel decoder fills in all words at once, and may look ahead."))
    elif chosen.batch.pad_id < 0:
        st.caption(_("This model has no PAD: the look-ahead mask hides what fills up."))
    return Shown(
        name=f"masks.{chosen.kind}",
        title=_("Which word may look at which: {kind}").format(kind=_(chosen.kind.label)),
        recipe=recipe,
        seen=_hidden(found),
        code=(padding_mask, causal_mask, decoder_mask),
        pictures=[drawn],
        about={name: fact for name, fact in chosen.about.items() if name != "head"},
        formula=r"\mathrm{visible}_{ij} = "
        + r" \;\wedge\; ".join(FORMULAS[name] for name in found.masks),
    )


def _recipe(chosen: Chosen) -> Recipe[OfSentence[HeadOfBatch]]:
    return Recipe(masked_head, chosen.opened.path, chosen.batching, chosen.head, chosen.sentence)


def _hidden(found: HeadOfBatch) -> str:
    """Say what each word may look at, and how many cells are hidden."""
    text = _("Every word sees all words, but no padding: **{hidden}** of {n} cells are hidden.")
    if LOOK_AHEAD in found.masks:
        text = _(
            "Each word sees itself and the words before it: **{hidden}** of {n} cells are hidden."
        )
        if PADDING in found.masks:
            text = _(
                "Each word sees itself and the words before it, but no padding: **{hidden}** of "
                "{n} cells are hidden."
            )
    hidden = int((~found.visible_QK).sum())
    return text.format(hidden=number(hidden), n=number(found.visible_QK.size))


def _mask(chosen: Chosen, title: str, visible_QK: NDArray[np.bool_]) -> Matrix:
    return Matrix(
        title=title,
        values=visible_QK.astype(np.float32),
        visible=np.ascontiguousarray(visible_QK),
        scale="mask",
        value_name=_("may look"),
        **chosen.axes,
    )


def _scores(chosen: Chosen) -> Shown:
    recipe = _recipe(chosen)
    found = recipe.result().result

    def scores(title: str, visible_QK: NDArray[np.bool_] | None) -> Matrix:
        return Matrix(
            title=title,
            values=found.scores_QK,
            visible=visible_QK,
            scale="signed",
            limit=max(float(np.abs(found.scores_QK).max()), 1e-6),
            value_name=_("score"),
            **chosen.axes,
        )

    weights = Matrix(
        title=_("Softmax of each row: the weights"),
        values=found.weights_QK,
        visible=found.visible_QK,
        value_name=_("weight"),
        **chosen.axes,
    )
    panels = [
        scores(_("Scores q·k / √d_k"), None),
        scores(_("With −∞ where hidden"), found.visible_QK),
        weights,
    ]
    return Shown(
        name=f"scores.{chosen.head.site}.{chosen.head.index}",
        title=_("From scores to weights: {where}").format(where=site_and_head(chosen.head)),
        recipe=recipe,
        seen=_largest_hidden(found),
        code=(attention_weights,),
        pictures=[matrices(Matrices(panels=panels), key="score_maps")],
        about=chosen.about,
        formula=r"w_{ij} = \frac{e^{s_{ij}}}{\sum_{j'} e^{s_{ij'}}}, \qquad s_{ij} = "
        r"\begin{cases} q_i \cdot k_j / \sqrt{d_k} & \text{visible} \\ -\infty & "
        r"\text{hidden} \end{cases}",
    )


def _largest_hidden(found: HeadOfBatch) -> str:
    """Say in how many rows the largest score is hidden, and what the rows sum to."""
    rows = np.arange(len(found.scores_QK))
    n = int((~found.visible_QK[rows, found.scores_QK.argmax(axis=-1)]).sum())
    error = max(abs(1 - total) for total in found.row_sums)
    return n_(
        "A hidden score becomes −∞ and gets the weight **0**, even where it is the largest (in "
        "**{n}** of {rows} row). Every row still sums to 1 (within {error}).",
        "A hidden score becomes −∞ and gets the weight **0**, even where it is the largest (in "
        "**{n}** of {rows} rows). Every row still sums to 1 (within {error}).",
        len(rows),
    ).format(n=number(n), rows=number(len(rows)), error=bound(error))


def _prefixes(opened: Opened) -> Shown:
    tokens = opened.inspection.fed_tokens[:LONGEST]
    recipe = Recipe(sentence_prefixes, opened.path, opened.sentence, LONGEST)
    found, n = recipe.result().result, len(tokens)
    past_TT = causal_mask(n).numpy()
    texts = [token.text for token in tokens]

    def panel(title: str, columns: Axis, words: list[list[str]] | None) -> Matrix:
        return Matrix(
            title=title,
            values=past_TT.astype(np.float32),
            visible=past_TT,
            rows=Axis(name=_("step: the last word fed"), labels=labels(tokens), side="target"),
            columns=columns,
            scale="mask",
            value_name=_("may look"),
            texts=words,
        )

    keys = Axis(name=_("key: the word looked at"), labels=labels(tokens), side="target")
    fed = [[*texts[: step + 1], *[""] * (n - step - 1)] for step in range(n)]
    panels = [
        panel(_("The prefix fed at each step"), numbered(_("position"), n), fed),
        panel(_("One masked pass: what each row may look at"), keys, None),
    ]
    seen = n_(
        "One masked pass over **{together}** position computes the same as {n} pass, one for each "
        "prefix, over **{alone}** position. (All logits are equal within {difference}.)",
        "One masked pass over **{together}** positions computes the same as {n} passes, one for "
        "each prefix, over **{alone}** positions. (All logits are equal within {difference}.)",
        n,
    ).format(
        n=number(n),
        alone=number(found.positions_alone),
        together=number(found.positions_together),
        difference=bound(found.largest_difference),
    )
    return Shown(
        name="prefixes",
        title=_("What the decoder is fed step by step, and what one masked pass lets it see"),
        recipe=recipe,
        seen=seen,
        code=(causal_mask,),
        pictures=[matrices(Matrices(panels=panels), key="prefix_maps")],
    )
