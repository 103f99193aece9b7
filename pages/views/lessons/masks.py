"""Which token may look at which: padding and look-ahead masks, alone and combined."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.model.masks import causal_mask, decoder_mask, padding_mask
from core.studies.lessons.masks import LOOK_AHEAD, PADDING, HeadOfBatch, masked_head
from pages.frame import components
from pages.frame.language import _
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, row
from pages.frame.view import Shown
from pages.views.lessons import batch, check
from pages.views.lessons.batch import Chosen
from viz.plane.matrices import Matrices, Matrix

FORMULAS = {
    PADDING: r"\underbrace{[\,x_j \neq \mathrm{PAD}\,]}_{\text{padding mask}}",
    LOOK_AHEAD: r"\underbrace{[\,j \le i\,]}_{\text{look-ahead mask}}",
}
"""What each mask leaves visible."""


def draw(opened: Opened) -> Shown:
    """Draw the masks of a sentence, each alone and both together."""
    with row():
        chosen = batch.ask(opened, batch.ask_kind(opened), heads=False)
        is_checked = check.ask()
    batch.name_what_is_cut(chosen)
    if is_checked:
        check.draw(chosen)
    recipe = Recipe(masked_head, opened.path, chosen.batching, chosen.head, chosen.sentence)
    found = recipe.result().result
    titles = {
        PADDING: _("Padding mask: nobody looks at PAD"),
        LOOK_AHEAD: _("Look-ahead mask: nobody looks at what comes later"),
    }
    panels = [_mask(chosen, titles[name], mask_QK) for name, mask_QK in found.masks.items()]
    if len(panels) > 1:
        panels.append(_mask(chosen, _("Both together: what the decoder uses"), found.visible_QK))
    drawn = components.show(Matrices(panels=panels), key="received_maps")
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


def _hidden(found: HeadOfBatch) -> str:
    """Say what each word may look at, and why."""
    if LOOK_AHEAD not in found.masks:
        return _(
            "Every word sees all words, but no PAD, which fills the sentence up to the length of "
            "the longest in its batch."
        )
    text = _(
        "Each word sees itself and the words before it: while the model learns, it must not see "
        "the word that it is to predict."
    )
    if PADDING in found.masks:
        text = _(
            "Each word sees itself and the words before it, but no PAD: while the model learns, it "
            "must not see the word that it is to predict."
        )
    return text


def _mask(chosen: Chosen, title: str, visible_QK: NDArray[np.bool_]) -> Matrix:
    return Matrix(
        title=title,
        values=visible_QK.astype(np.float32),
        visible=np.ascontiguousarray(visible_QK),
        scale="mask",
        value_name=_("may look"),
        **chosen.axes,
    )
