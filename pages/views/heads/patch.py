"""Copy the output of a head from one sentence into another: which head carries the difference?"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.decoding.sentence import SentenceError, Translation
from core.heads import Head, Kind
from core.model import Patch
from core.runs.run import Run
from core.studies.effects.patching import (
    Parting,
    PatchingError,
    PatchingStudy,
    layer_maps,
    length,
    patched_translation,
    patching_study,
    second_sentence,
)
from core.studies.effects.position_patching import Part, position_patching
from core.studies.opening.examples import sources_beside
from pages.frame import clicks, components, controls, notes, session
from pages.frame.language import (
    _,
    capitalised,
    joined,
    labelled,
    listed,
    n_,
    number,
    percent_of_100,
    plain,
)
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.typography import marked, show_translations, typeset
from pages.frame.view import Shown
from pages.views.heads import named_heads, patch_positions
from pages.views.heads.silence_grid import telling_head
from viz.component.payload import TokenLabel
from viz.component.standalone import Drawn
from viz.plane.matrices import Matrices, Matrix, numbered

OTHER, OFFERED = "patch_with", "patch_offered"
"""In the link: the second sentence; and where those are kept that were offered."""
INTO, INTO_SECOND, INTO_FIRST = "patch", "into_second", "into_first"
WHAT, HEADS = "patch_what", "heads"
"""In the link: of which part an output is copied; to begin with, of each head."""
CHOSEN, MAPS = "patched_head", "patch_maps"
"""In the link: the head whose output is copied; and the key of the maps."""
STRONG = 0.1
"""Heads that restore less than this are not named."""
ENOUGH = 0.9
"""The head that other views open on is the first where it restores as much."""
NAMED = 3


def draw(opened: Opened) -> Shown | None:
    """Copy the output of each head from one sentence into the other."""
    with st.container(horizontal=True, vertical_alignment="center"):
        second = _ask_second(opened)
        names = _names(opened.sentence, second)
        arrow = _("{before} → {after}")
        directions = {
            INTO_SECOND: arrow.format(before=names[0], after=names[1]),
            INTO_FIRST: arrow.format(before=names[1], after=names[0]),
        }
        older = {"first into second": INTO_SECOND, "second into first": INTO_FIRST}
        direction = controls.choice(_("Direction"), INTO, directions, INTO_SECOND, older=older)
        what = patch_positions.ask(opened, WHAT, HEADS)
    clean, corrupt = opened.sentence, second
    if direction == INTO_FIRST:
        clean, corrupt, names = second, opened.sentence, names[::-1]
    try:
        if what != HEADS:
            by_place = Recipe(position_patching, opened.writer, clean, corrupt, Part(what))
            show_translations(_lines(_of_both(by_place.result(), names, opened.run)))
            return patch_positions.shown(by_place, second)
        recipe = Recipe(patching_study, opened.writer, clean, corrupt)
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
        st.info(_("{text}.").format(text=capitalised(plain(explained(error)))))
        return None
    head = _chosen(opened.run, study)
    patched = Recipe(patched_translation, opened.writer, clean, corrupt, head).result()
    show_translations(_translations(study, head, patched, names, opened.run))
    st.caption(
        _(
            "**Click a head to copy its output instead.** Each of several heads can be enough, so "
            "shares need not add up to 100 %. “all”: all heads of the layer together."
        )
    )
    named_heads.warn(notes.about_head(opened.run, head))
    return Shown(
        name="patching",
        title=_("How much of the difference between two sentences each head carries"),
        recipe=recipe,
        seen=_seen(study, head, patched, names),
        code=(Patch,),
        pictures=[_draw_maps(study, head)],
        about={"second_sentence": second, "head": notes.site_and_head(head)},
    )


def _names(first: str, second: str) -> tuple[str, str]:
    """Return what two sentences are called: the word in which alone they differ, or their order."""
    words, others = (re.findall(r"\w+", each) for each in (first, second))
    differing = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    if len(words) == len(others) and len(differing) == 1:
        quoted = _("“{word}”")
        one, other = (quoted.format(word=plain(word)) for word in differing[0])
        return one, other
    return _("the first sentence"), _("the second sentence")


def _ask_second(opened: Opened) -> str:
    """Ask for a sentence; until one is typed, one that is translated differently is offered."""
    first = opened.sentence
    known = tuple(example.source for example in (opened.task.examples if opened.task else ()))
    examples = known or sources_beside(opened.run)
    default = Recipe(second_sentence, opened.writer, first, examples).result()
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


def _chosen(run: Run, study: PatchingStudy) -> Head:
    """Return the head that the link names, or the first view's where it is enough, or the best."""
    linked = session.linked(CHOSEN)
    for head in study.heads:
        if str(head) == linked:
            return head
    best, usual = max(study.heads, key=study.heads.__getitem__), telling_head(run)
    return usual if study.heads[usual] >= ENOUGH else best


def _translations(
    study: PatchingStudy, head: Head, patched: Translation, names: tuple[str, str], run: Run
) -> str:
    """Return three translations in Markdown: of both sentences, and of the patched one."""
    one, other = names
    both = _("{other} with {head} of {one}").format(
        one=one, other=other, head=notes.within_sentence(head)
    )
    after = marked(typeset(study.corrupt.text, run), typeset(patched.text, run))[1]
    return _lines(_of_both(study, names, run) | {both: after})


def _of_both(study: Parting, names: tuple[str, str], run: Run) -> dict[str, str]:
    """Return name → translation in Markdown of both sentences, what differs in bold."""
    first, second = marked(typeset(study.clean.text, run), typeset(study.corrupt.text, run))
    return {names[0]: first, names[1]: second}


def _lines(texts: Mapping[str, str]) -> str:
    return "  \n".join(labelled(capitalised(name), text) for name, text in texts.items())


def _seen(study: PatchingStudy, head: Head, patched: Translation, names: tuple[str, str]) -> str:
    """Say what the head's output brings over, and which others bring much of it."""
    text = _(
        "With the output of **{head}** copied from {one} into {other}, the model still writes "
        "**{corrupt}**: {share} of the way to **{clean}**."
    )
    n = study.step + 1
    if patched.written_ids[:n] == study.clean.written_ids[:n]:
        text = _(
            "With the output of **{head}** copied from {one} into {other}, the model writes "
            "**{clean}** instead of **{corrupt}**: {share} of the way."
        )
    others = [
        _("{text} ({note})").format(
            text=notes.within_sentence(each), note=percent_of_100(100 * share, 0)
        )
        for each, share in study.strongest(STRONG, NAMED)
        if each != head
    ]
    more = _("Other heads that carry much of it: {heads}.") if others else ""
    return joined([text, more]).format(
        head=notes.within_sentence(head),
        one=names[0],
        other=names[1],
        share=percent_of_100(100 * study.heads[head], 0),
        clean=plain(study.clean_token.text),
        corrupt=plain(study.corrupt_token.text),
        heads=listed(others),
    )


def _draw_maps(study: PatchingStudy, chosen: Head) -> Drawn:
    """Draw one matrix for each kind of attention: layers × heads, and all heads together."""
    name = _("how far from “{other}” (0\u00a0%) to “{one}” (100\u00a0%)").format(
        other=study.corrupt_token.text, one=study.clean_token.text
    )
    maps = layer_maps(study.heads, study.sites)
    # Blue has a place on the scale only where a head leads away from the other word.
    away = min(float(shares_LH.min()) for shares_LH in maps.values()) < -STRONG
    scale: Literal["weight", "signed"] = "signed" if away else "weight"
    panels = [
        replace(
            panel(kind, 100 * shares_LH, n, lambda share: percent_of_100(share, 0)),
            value_name=name,
            limit=100.0,
            scale=scale,
        )
        for n, (kind, shares_LH) in enumerate(maps.items())
    ]
    at = list(maps).index(chosen.kind)
    picture = Matrices(
        panels=panels,
        selected=(at, chosen.layer, chosen.index),
        texts={
            "cell": _("layer {row}, head {column}: {value}\u00a0%"),
            "help.pick": _("Arrow keys move from head to head, Enter chooses one."),
        },
    )
    return components.show(picture, key=MAPS, on_pick=partial(_take, tuple(maps), study))


def _take(kinds: tuple[Kind, ...], study: PatchingStudy) -> None:
    """Take over the head whose cell was clicked; the last column is none."""
    if pick := clicks.picked(MAPS):
        head = Head(kinds[pick["panel"]].site(pick["row"]), pick["column"])
        if head in study.heads:
            session.choose({CHOSEN: str(head)})


def panel(
    kind: Kind, values_LH: NDArray[np.float32], at: int, write: Callable[[float], str]
) -> Matrix:
    """Return the matrix of a kind of attention: layers × heads, and all heads of a layer.

    Args:
        kind: Of attention.
        values_LH: The last column is that of all heads.
        at: Its place among the panels.
        write: Writes a value into its cell.
    """
    n_layers, n_columns = values_LH.shape
    heads = [TokenLabel(str(head)) for head in range(n_columns - 1)]
    return Matrix(
        title=_(kind.label),
        values=values_LH,
        # Head 2 of one kind has nothing to do with head 2 of another.
        rows=numbered(_("layer"), n_layers, 2 * at + 1),
        columns=replace(
            numbered(_("head"), n_columns, 2 * at), labels=(*heads, TokenLabel(_("all")))
        ),
        details=[[""] * n_columns] * n_layers,
        texts=[[write(each) for each in row] for row in values_LH.tolist()],
    )
