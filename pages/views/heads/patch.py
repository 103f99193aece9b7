"""Put what a head says in one sentence into another: which carries the difference?"""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.heads import STACK_LABELS, Kind, Site
from core.model import Patch
from core.runs.run import Run
from core.studies.effects.patching import PatchingStudy, patching_study
from core.studies.effects.second_sentence import PatchingError
from pages.frame import controls, notes
from pages.frame.components import matrices
from pages.frame.language import (
    _,
    capitalised,
    ended,
    joined,
    listed,
    noted,
    number,
    percent,
    percent_of_100,
    plain,
)
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.typography import marked, show_translations, typeset
from pages.frame.view import Shown
from pages.views.heads import named_heads, path, second_sentence
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

WHAT, HEAD, PATH = "patched", "head", "path"
INTO, INTO_SECOND, INTO_FIRST = "patch", "into_second", "into_first"
STRONG = 0.1
"""Heads that restore less than this are not named."""
NAMED = 3


def draw(opened: Opened) -> Shown | None:
    """Exchange what each head says between two sentences, or what one head says to another."""
    with st.container(horizontal=True, vertical_alignment="center"):
        second = second_sentence.ask(opened)
        offered = {HEAD: _("whole head"), PATH: _("one path")}
        what = controls.choice(_("What is exchanged"), WHAT, offered, HEAD)
        direction = _ask_direction() if what == HEAD else INTO_FIRST
    if not second_sentence.fits(opened, second):
        return None
    if what == PATH:
        return path.draw(opened, second)
    both = (opened.sentence, second) if direction == INTO_SECOND else (second, opened.sentence)
    recipe = Recipe(patching_study, opened.path, *both)
    try:
        study = recipe.result()
    except PatchingError as error:
        st.info(ended(capitalised(plain(explained(error)))))
        return None
    show_translations(_sentences(study, direction, opened.run))
    strong = [head for head, _share in study.strongest(STRONG, NAMED)]
    named_heads.warn_whatever_the_sentence(opened.run, strong)
    picture = matrices(_maps(study), key="patch_maps")
    st.caption(_measured(study))
    return Shown(
        name="patching",
        title=_("How much of the difference between two sentences each head carries"),
        recipe=recipe,
        seen=_strongest(study, direction),
        code=(Patch,),
        pictures=[picture],
        about={"second_sentence": second},
    )


def _ask_direction() -> str:
    older = {"first into second": INTO_SECOND, "second into first": INTO_FIRST}
    directions = {INTO_SECOND: _("first into second"), INTO_FIRST: _("second into first")}
    return controls.choice(_("Direction"), INTO, directions, INTO_SECOND, older=older)


def _sentences(study: PatchingStudy, direction: str, run: Run) -> str:
    """Return both translations in Markdown, one below the other."""
    clean, corrupt = _names(direction)
    texts = marked(typeset(study.clean.text, run), typeset(study.corrupt.text, run))
    lines = [
        _("From the {name}: {text}").format(name=clean, text=texts[0]),
        _("Into the {name}: {text}").format(name=corrupt, text=texts[1]),
    ]
    return "  \n".join(lines)


def _names(direction: str) -> tuple[str, str]:
    """Return which sentence is patched from, and which one into."""
    first, second = _("first"), _("second")
    return (first, second) if direction == INTO_SECOND else (second, first)


def _strongest(study: PatchingStudy, direction: str) -> str:
    """Name the heads that restore most, or the layer where no head does."""
    strong = study.strongest(STRONG, NAMED)
    site, share = study.strongest_site
    whole = _("All heads of {where} together: {share}.").format(
        where=_sublayer(site), share=percent(share)
    )
    one, other = _names(direction)
    parts = {"from_token": plain(study.clean_token.text), "to": plain(study.corrupt_token.text)}
    parts |= {"one": one, "other": other}
    if not strong:
        text = _("No head alone turns “{to}” into “{from_token}”.")
        return joined([text.format(**parts), whole])
    (head, most), *others = strong
    text = _(
        "What **{head}** says in the {one} sentence, put into the {other}, turns “{to}” into "
        "“{from_token}”: **{share}** of the way."
    )
    first = text.format(head=notes.within_sentence(head), share=percent(most), **parts)
    if not others:
        return joined([first, whole])
    named = listed(noted(notes.within_sentence(head), percent(share)) for head, share in others)
    return joined([first, _("Next: {named}.").format(named=named)])


def _sublayer(site: Site) -> str:
    return _("{stack} layer {layer} ({kind})").format(
        stack=_(STACK_LABELS[site.stack]),
        layer=site.layer,
        kind=_(site.attention.sublayer_label),
    )


def _maps(study: PatchingStudy) -> Matrices:
    """Return one matrix for each kind of attention: layers × heads, and all heads together."""
    words = {"other": study.corrupt_token.text, "one": study.clean_token.text}
    name = _("on the way from “{other}” to “{one}”, in %").format(**words)
    return Matrices(
        panels=[_panel(kind, shares, name) for kind, shares in study.restored_maps().items()]
    )


def _panel(kind: Kind, shares_LH: NDArray[np.float32], name: str) -> Matrix:
    heads = [TokenLabel(str(head)) for head in range(shares_LH.shape[1] - 1)]
    return Matrix(
        title=_(kind.label),
        values=100 * shares_LH,
        limit=100.0,
        rows=numbered(_("layer"), len(shares_LH)),
        columns=Axis(name=_("head"), labels=(*heads, TokenLabel(_("all")))),
        scale="signed",
        texts=[[percent_of_100(100 * share, 0) for share in row] for row in shares_LH.tolist()],
        value_name=name,
    )


def _measured(study: PatchingStudy) -> str:
    return _(
        "100 %: “{one}” is as probable as in its own sentence. Measured at step {step}, after the "
        "same words; log p(“{one}”) − log p(“{other}”) is {clean} nats in the sentence patched "
        "from, {corrupt} in the one patched into. One pair of sentences (n = 1): an observation, "
        "not a law."
    ).format(
        step=study.step,
        one=plain(study.clean_token.text),
        other=plain(study.corrupt_token.text),
        clean=number(study.clean_difference),
        corrupt=number(study.corrupt_difference),
    )
