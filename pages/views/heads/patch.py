"""Copy the output of a head from one sentence into another: which head carries the difference?"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.decoding.sentence import SentenceError, Translation
from core.heads import Head, Kind
from core.model import Patch
from core.runs.run import Run
from core.studies.effects.patching import (
    PatchingError,
    PatchingStudy,
    patched_translation,
    patching_study,
)
from core.studies.effects.second_sentence import length, second_sentence
from core.studies.opening.examples import sources_beside
from pages.frame import cached, clicks, controls, notes, session
from pages.frame.components import matrices
from pages.frame.language import (
    _,
    capitalised,
    ended,
    joined,
    labelled,
    listed,
    n_,
    noted,
    number,
    percent_of_100,
    plain,
)
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.typography import marked, show_translations, typeset
from pages.frame.view import Shown
from pages.views.heads import named_heads
from viz.component.payload import TokenLabel
from viz.component.standalone import Drawn
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

OTHER, OFFERED = "patch_with", "patch_offered"
"""In the link: the second sentence; and where those are kept that were offered."""
INTO, INTO_SECOND, INTO_FIRST = "patch", "into_second", "into_first"
CHOSEN, MAPS = "patched_head", "patch_maps"
"""In the link: the head whose output is copied; and the key of the maps."""
STRONG = 0.1
"""Heads that restore less than this are not named."""
ENOUGH = 0.9
"""A head that restores as much is enough by itself."""
NAMED = 3


def draw(opened: Opened) -> Shown | None:
    """Copy the output of each head from one sentence into the other."""
    with st.container(horizontal=True, vertical_alignment="center"):
        second = _ask_second(opened)
        older = {"first into second": INTO_SECOND, "second into first": INTO_FIRST}
        directions = {INTO_SECOND: _("first → second"), INTO_FIRST: _("second → first")}
        direction = controls.choice(_("Direction"), INTO, directions, INTO_SECOND, older=older)
    clean, corrupt = opened.sentence, second
    names = _("first"), _("second")
    if direction == INTO_FIRST:
        clean, corrupt, names = second, opened.sentence, names[::-1]
    recipe = Recipe(patching_study, opened.path, clean, corrupt)
    try:
        study = recipe.result()
    except SentenceError:
        n_tokens = length(opened.run, opened.sentence)
        text = n_(
            "Type a second sentence of {first} token, special ones counted, as the first one has.",
            "Type a second sentence of {first} tokens, special ones counted, as the first one has.",
            n_tokens,
        )
        st.info(text.format(first=number(n_tokens)))
        return None
    except PatchingError as error:
        st.info(ended(capitalised(plain(explained(error)))))
        return None
    head = _chosen(study)
    patched = cached.call(patched_translation, opened.path, clean, corrupt, head)
    show_translations(_translations(study, patched, names, opened.run))
    st.caption(_scale(study))
    named_heads.warn(notes.about_head(opened.run, head))
    return Shown(
        name="patching",
        title=_("How much of the difference between two sentences each head carries"),
        recipe=recipe,
        seen=_seen(study, head, _enough(opened, study), patched, names),
        code=(Patch,),
        pictures=[_draw_maps(study, head)],
        about={"second_sentence": second, "head": notes.site_and_head(head)},
    )


def _ask_second(opened: Opened) -> str:
    """Ask for a sentence; until one is typed, one that is translated differently is offered."""
    first = opened.sentence
    known = tuple(example.source for example in (opened.task.examples if opened.task else ()))
    examples = known or sources_beside(opened.run)
    default = cached.call(second_sentence, opened.path, first, examples)
    # What was offered beside other sentences makes room; what was typed does not.
    offered = session.storage(OFFERED)
    session.belongs_to(OTHER, first, giving_way={"", first, *examples, *offered})
    offered[default] = True
    st.caption(_("Second sentence"), width="content")
    return controls.text(
        _("Second sentence"),
        OTHER,
        default,
        labelled=False,
        placeholder=_("Type a second sentence with as many tokens, and press Enter"),
    )


def _chosen(study: PatchingStudy) -> Head:
    """Return the head that the link names, or else the one that carries most."""
    linked = session.linked(CHOSEN)
    found = [head for head in study.heads if str(head) == linked]
    return found[0] if found else max(study.heads, key=study.heads.__getitem__)


def _translations(
    study: PatchingStudy, patched: Translation, names: tuple[str, str], run: Run
) -> str:
    """Return three translations in Markdown: of both sentences, and of the patched one."""
    clean, corrupt, after = (
        typeset(each.text, run) for each in (study.clean, study.corrupt, patched)
    )
    one, other = names
    first, second = marked(clean, corrupt)
    both = _("{other}, with this head’s output of the {one}").format(one=one, other=other)
    texts = {one: first, other: second, both: marked(corrupt, after)[1]}
    return "  \n".join(labelled(capitalised(name), text) for name, text in texts.items())


def _enough(opened: Opened, study: PatchingStudy) -> list[Head]:
    """Return the heads each of which makes the difference by itself."""
    clean, corrupt = study.clean.source, study.corrupt.source
    return [
        each
        for each, _share in study.strongest(ENOUGH, NAMED)
        if _turns(study, cached.call(patched_translation, opened.path, clean, corrupt, each))
    ]


def _turns(study: PatchingStudy, patched: Translation) -> bool:
    """Return whether a patched translation has the word of the other sentence."""
    n = study.step + 1
    return patched.written_ids[:n] == study.clean.written_ids[:n]


def _seen(
    study: PatchingStudy,
    head: Head,
    enough: Sequence[Head],
    patched: Translation,
    names: tuple[str, str],
) -> str:
    """Say whether the head alone makes the difference, and which others carry much of it."""
    several = head in enough and len(enough) > 1
    text = _(
        "With the output of **{head}** copied from the {one} sentence, the {other} keeps "
        "**{corrupt}**: it goes {share} of the way to **{clean}**."
    )
    if several:
        text = n_(
            "{n} head is enough by itself: {each}. With its output copied from the {one} "
            "sentence, the {other} gets **{clean}** instead of **{corrupt}**.",
            "{n} heads are enough, each by itself: {each}. With the output of one of them copied "
            "from the {one} sentence, the {other} gets **{clean}** instead of **{corrupt}**.",
            len(enough),
        )
    elif _turns(study, patched):
        text = _(
            "One head is enough: with the output of **{head}** copied from the {one} sentence, "
            "the {other} gets **{clean}** instead of **{corrupt}**."
        )
    others = [
        noted(notes.within_sentence(each), percent_of_100(100 * share, 0))
        for each, share in study.strongest(STRONG, NAMED)
        if each != head and not (several and each in enough)
    ]
    share_of = study.heads.__getitem__
    more = _("Other heads that carry much of it: {heads}.") if others else ""
    return joined([text, more]).format(
        n=number(len(enough)),
        each=listed(
            noted(f"**{notes.within_sentence(each)}**", percent_of_100(100 * share_of(each), 0))
            for each in enough
        ),
        head=notes.within_sentence(head),
        one=names[0],
        other=names[1],
        share=percent_of_100(100 * study.heads[head], 0),
        clean=plain(study.clean_token.text),
        corrupt=plain(study.corrupt_token.text),
        heads=listed(others),
    )


def _scale(study: PatchingStudy) -> str:
    """Return what a click does, and what the shares mean."""
    text = _(
        "**Click a head to copy its output.** 0 %: still “{corrupt}”; 100 %: “{clean}” as surely "
        "as in its own sentence. Each of several heads can be enough, so shares need not add up "
        "to 100 %."
    )
    return text.format(corrupt=plain(study.corrupt_token.text), clean=plain(study.clean_token.text))


def _draw_maps(study: PatchingStudy, chosen: Head) -> Drawn:
    """Draw one matrix for each kind of attention: layers × heads, and all heads together."""
    name = _("on the way from “{other}” to “{one}”, in %").format(
        other=study.corrupt_token.text, one=study.clean_token.text
    )
    maps = study.restored_maps()
    panels = [_panel(kind, shares, name, n) for n, (kind, shares) in enumerate(maps.items())]
    at = list(maps).index(chosen.kind)
    picture = Matrices(
        panels=panels,
        selected=(at, chosen.layer, chosen.index),
        texts={
            "cell": _("layer {row}, head {column}: {value}\u00a0%"),
            "help.pick": _("Arrow keys move from head to head, Enter chooses one."),
        },
    )
    return matrices(picture, key=MAPS, on_pick=partial(_take, tuple(maps), study))


def _take(kinds: tuple[Kind, ...], study: PatchingStudy) -> None:
    """Take over the head whose cell was clicked; the last column is none."""
    if pick := clicks.picked(MAPS):
        head = Head(kinds[pick["panel"]].site(pick["row"]), pick["column"])
        if head in study.heads:
            session.choose({CHOSEN: str(head)})


def _panel(kind: Kind, shares_LH: NDArray[np.float32], name: str, at: int) -> Matrix:
    n_layers, n_columns = shares_LH.shape
    heads = [TokenLabel(str(head)) for head in range(n_columns - 1)]
    # Linked to nothing: head 2 of one kind has nothing to do with head 2 of another.
    row, column = (2 * at + 1) * 10**6, 2 * at * 10**6
    return Matrix(
        title=_(kind.label),
        values=100 * shares_LH,
        limit=100.0,
        rows=replace(numbered(_("layer"), n_layers), links=range(row, row + n_layers)),
        columns=Axis(
            name=_("head"),
            labels=(*heads, TokenLabel(_("all"))),
            links=range(column, column + n_columns),
        ),
        details=[[""] * n_columns] * n_layers,
        scale="signed",
        texts=[[percent_of_100(100 * share, 0) for share in row] for row in shares_LH.tolist()],
        value_name=name,
    )
