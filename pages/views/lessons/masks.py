"""Which token may look at which: padding and look-ahead masks, and the scores that they hide."""

from collections.abc import Mapping

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.model.masks import causal_mask, decoder_mask, padding_mask
from core.model.scoring import attention_weights
from core.studies.lessons.masks import LOOK_AHEAD, PADDING, HeadOfBatch
from core.studies.lessons.of_sentence import OfSentence, masked_head, sentence_prefixes
from pages.frame import selection
from pages.frame.components import matrices
from pages.frame.language import _, bound, joined, listed, n_, number
from pages.frame.maps import labels
from pages.frame.needs import Need
from pages.frame.notes import site_and_head
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
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
    with selection.row():
        picture = stacks.ask_picture(opened, "masks_shown", pictures, NEEDS)
        if picture != "prefixes":
            chosen = batch.ask(opened, heads=picture == "scores")
    if picture == "prefixes":
        return _prefixes(opened)
    batch.say(chosen)
    return (_scores if picture == "scores" else _masks)(chosen)


def _masks(chosen: Chosen) -> Shown:
    recipe = _recipe(chosen)
    found = recipe.result().result
    titles = {
        PADDING: _("Padding mask: nobody looks at PAD"),
        LOOK_AHEAD: _("Look-ahead mask: nobody looks at what comes later"),
    }
    panels = [
        *(_mask(chosen, titles[name], mask_QK) for name, mask_QK in found.masks.items()),
        _mask(chosen, _("What this attention receives in the model"), found.visible_QK),
    ]
    drawn = matrices(Matrices(panels=panels), key="received_maps")
    said = n_(
        "Batch of {n} sentence, tokens that fill it up: {padding}.",
        "Batch of {n} sentences, tokens that fill it up: {padding}.",
        len(chosen.sentences),
    )
    if chosen.opened.run.settings.model.is_parallel:
        parallel = _("A parallel decoder fills in all words at once, and may look ahead.")
        said = joined([said, parallel])
    elif chosen.batch.pad_id < 0:
        said = joined([said, _("This model has no PAD: the look-ahead mask hides what fills up.")])
    n_padding = number(chosen.batch.n_padding)
    st.caption(said.format(n=number(len(chosen.sentences)), padding=n_padding))
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
    """Say how many cells are hidden, and which mask hides them."""
    hidden, total = int((~found.visible_QK).sum()), found.visible_QK.size
    text = n_(
        "**{hidden}** of {n} cell is hidden", "**{hidden}** of {n} cells are hidden", total
    ).format(hidden=number(hidden), n=number(total))
    said = {
        PADDING: _("{n} by the padding mask"),
        LOOK_AHEAD: _("{n} by the look-ahead mask"),
    }
    parts = [
        said[name].format(n=number(int((~mask_QK).sum()))) for name, mask_QK in found.masks.items()
    ]
    both = np.logical_and.reduce([~mask_QK for mask_QK in found.masks.values()])
    if len(parts) == 2 and both.any():
        parts.append(_("{n} of them by both").format(n=number(int(both.sum()))))
    return _("{hidden}: {masks}.").format(hidden=text, masks=listed(parts))


def _mask(chosen: Chosen, title: str, visible_QK: NDArray[np.bool_]) -> Matrix:
    return Matrix(
        title=title,
        values=visible_QK.astype(np.float32),
        visible=np.ascontiguousarray(visible_QK),
        rows=chosen.queries,
        columns=chosen.keys,
        scale="mask",
        value_name=_("may look"),
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
            rows=chosen.queries,
            columns=chosen.keys,
        )

    panels = [
        scores(_("Scores q·k / √d_k"), None),
        scores(_("With −∞ where hidden"), found.visible_QK),
        batch.weights_map(chosen, found, _("Softmax of each row: the weights")),
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
    text = n_(
        "In **{n}** of {rows} rows the largest score is hidden: as −∞ it gets the weight 0.",
        "In **{n}** of {rows} rows the largest score is hidden: as −∞ it gets the weight 0.",
        n,
    ).format(n=number(n), rows=number(len(rows)))
    error = max(abs(1 - total) for total in found.row_sums)
    sums = _("Every row still sums to 1, within {error}.").format(error=bound(error))
    return joined([text, sums])


def _prefixes(opened: Opened) -> Shown:
    tokens = opened.inspection.fed_tokens[:LONGEST]
    recipe = Recipe(sentence_prefixes, opened.path, opened.sentence, LONGEST)
    found, n = recipe.result().result, len(tokens)
    past_TT = causal_mask(n).numpy()
    texts = [token.text for token in tokens]
    looks = _("key: the word looked at")
    columns: Mapping[str, Axis] = {
        _("The prefix fed at each step"): numbered(_("position"), n),
        _("One masked pass: what each row may look at"): Axis(
            name=looks, labels=labels(tokens), side="target"
        ),
    }
    panels = [
        Matrix(
            title=title,
            values=past_TT.astype(np.float32),
            visible=past_TT,
            rows=Axis(name=_("step: the last word fed"), labels=labels(tokens), side="target"),
            columns=axis,
            scale="mask",
            value_name=_("may look"),
            texts=[[*texts[: row + 1], *[""] * (n - row - 1)] for row in range(n)]
            if axis.name != looks
            else None,
        )
        for title, axis in columns.items()
    ]
    seen = n_(
        "One by one the {n} prefix costs **{alone}** decoder position, in one masked pass "
        "**{together}**. Every logit of the {n} row is the same, within {difference}.",
        "One by one the {n} prefixes cost **{alone}** decoder positions, in one masked pass "
        "**{together}**. Every logit of the {n} rows is the same, within {difference}.",
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
