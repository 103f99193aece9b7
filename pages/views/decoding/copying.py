"""Where each written word comes from: out of the vocabulary, or from a place of the source."""

import numpy as np

from core.decoding.pointer import CopiedWords, copied, copied_words
from pages.frame import components
from pages.frame.language import _, listed, percent, plain
from pages.frame.maps import labels
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix


def draw(opened: Opened) -> Shown:
    """Draw p_gen above the places of the source, for each word that the model writes."""
    copying = Recipe(copied_words, opened.writer, opened.sentence)
    found = copying.result()
    return Shown(
        name="copying",
        title=_("Where each written word comes from"),
        text=view_text("decoding", "copying"),
        seen=_seen(found, opened.run.settings.model.eos_ids),
        recipe=copying,
        code=[copied],
        pictures=[components.show(Matrices(panels=[_matrix(opened, found)]), key="copied")],
    )


def _matrix(opened: Opened, found: CopiedWords) -> Matrix:
    source = labels(found.source, opened.inspection.unknown_words)
    values = np.vstack([found.shares.p_gen_T, found.shares.taken_TS.T]).astype(np.float32)
    return Matrix(
        title=_("How each word is chosen: generated, or copied from a place of the source"),
        # Rounding must not bring a share above the scale’s end.
        values=values.clip(0.0, 1.0),
        rows=Axis(name=_("taken from"), labels=[TokenLabel(_("generated")), *source]),
        columns=Axis(name=_("written"), labels=labels(found.written)),
        value_name=_("weight"),
    )


def _seen(found: CopiedWords, eos_ids: tuple[int, ...]) -> str:
    """Say which words are copied and from where; else how sure the model is to generate all."""
    p_gen, written = found.shares.p_gen_T.tolist(), found.written_ids
    words = [step for step, token in enumerate(written) if token not in eos_ids]
    taken = [step for step in words if p_gen[step] < 0.5]
    if not words:
        return _("The model writes nothing.")
    if not taken:
        return _(
            "Nothing is copied: **p_gen** is {share} or more at every word, so that all of them "
            "come out of the vocabulary."
        ).format(share=percent(min(p_gen[step] for step in words)))
    named = listed(
        _("**{word}** (p_gen {share})").format(
            word=plain(found.written[step].text), share=percent(p_gen[step])
        )
        for step in taken
    )
    text = _(
        "Copied from the source: {named}. The others come out of the vocabulary, with the weight "
        "p_gen."
    )
    return text.format(named=named)
