"""A head beside a second one: with another sentence, of another model, or another of its model."""

from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from core.decoding.sentence import SentenceError
from core.heads import Head, Side
from core.inspection import Inspection
from core.runs.run import RunError
from core.studies.heads.comparison import (
    Alignment,
    ComparedHeads,
    changed_query,
    compare_heads,
    most_alike,
)
from core.studies.opening.examples import sources_beside
from pages.frame import cached, components, controls, notes, session, typography
from pages.frame.language import _, capitalised, labelled, number, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Selection, inspecting, key_axis, query_axis
from pages.frame.texts import view_text
from pages.frame.typography import marked, show_translations, typeset, written_in_files
from pages.frame.view import Shown
from pages.views.attention import seen
from viz.plane.matrices import Axis, Matrices, Matrix

SENTENCE, MODEL, HEAD = "sentence", "model", "head"
COMPARED_MAPS = "compared_maps"
FORMULA = r"""
D_{ij} = B_{\sigma(i)\,\tau(j)} - A_{ij}, \qquad
\sigma, \tau: \text{position in the first} \mapsto \text{its counterpart in the second}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Second:
    """The second head of a comparison."""

    what: str
    """`SENTENCE`, `MODEL` or `HEAD`."""
    path: Path
    sentence: str
    inspecting: Recipe[Inspection]
    """Between tokens, or merged to words, as the first is."""
    head: Head
    names: tuple[str, str]
    """Of the first and of the second: two sentences, two models, or two heads."""


def offered() -> dict[str, str]:
    """Return with what a head can be compared: in links → what people call it."""
    return {SENTENCE: _("two sentences"), MODEL: _("two models"), HEAD: _("two heads")}


def draw(selected: Selection, what: str) -> Shown | None:
    """Draw the maps of two heads and their difference.

    Args:
        selected: The first head.
        what: `SENTENCE`, `MODEL` or `HEAD`.
    """
    selected.opened.show_image()
    # One place for all texts, so that their length does not move the picture.
    with st.container():
        second = {SENTENCE: _sentence, MODEL: _model, HEAD: _head}[what](selected)
        if second is None:
            return None
        recipe = Recipe(
            compare_heads, selected.inspecting, selected.head, second.inspecting, second.head
        )
        found = recipe.result()
        if what != HEAD:
            show_translations(_translations(selected, second, found))
    pictures = Matrices(
        panels=(_map(found, second, 0), _map(found, second, 1), _difference(found, second))
    )
    picture = components.show(pictures, key=COMPARED_MAPS)
    return Shown(
        name=f"{selected.head.site}.{selected.head.index}.compared",
        title=_title(found, second),
        recipe=recipe,
        about=_about(selected, second, found),
        code=[compare_heads],
        seen=_seen(found, second),
        pictures=[picture],
        how_to_read=view_text("attention", "maps").sections["How to read a comparison"],
        formula=FORMULA,
    )


def _sentence(selected: Selection) -> Second | None:
    """Ask for a sentence; until one is typed it is the example that is most like the first."""
    opened, task, first = selected.opened, selected.opened.task, selected.opened.sentence
    beside = sources_beside(opened.run)
    offered = [example.source for example in (task.examples if task else ())] or beside
    others = [source for source in offered if source != first]
    default = most_alike(first, others) if others else first
    session.belongs_to(session.OTHER_SENTENCE, first, giving_way={"", first, *others})
    typed = controls.text(
        _("Second sentence"),
        session.OTHER_SENTENCE,
        default,
        labelled=False,
        placeholder=_("Type a second sentence and press Enter"),
    )
    recipe = inspecting(opened.writer, typed, selected.whole_words)
    try:
        recipe.result()
    except SentenceError:
        st.info(_("Type another sentence to compare with."))
        return None
    return Second(
        what=SENTENCE,
        path=opened.path,
        sentence=typed,
        inspecting=recipe,
        head=selected.head,
        names=(_("first sentence"), _("second sentence")),
    )


def _model(selected: Selection) -> Second | None:
    """Ask for a run that was trained on the same task, and for one of its heads."""
    opened, paths = selected.opened, cached.run_paths()
    own = next(name for name, path in paths.items() if path == opened.path)
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        name = _ask_model(selected, own)
    recipe = inspecting(paths[name], opened.sentence, selected.whole_words)
    inspection = recipe.result()
    if not inspection.sites_of(selected.kind):
        st.info(_("{name} has no attention of this kind.").format(name=plain(name)))
        return None
    with row:
        head = _ask_head(selected, inspection, selected.head)
    return Second(
        what=MODEL,
        path=paths[name],
        sentence=opened.sentence,
        inspecting=recipe,
        head=head,
        names=(own, name),
    )


def _ask_model(selected: Selection, own: str) -> str:
    """Ask for one of the runs of the same task, or for the model itself where there is no other."""
    # Of opened models nobody knows which have a task in common.
    task = selected.opened.run.settings.task
    names = [name for name in cached.run_paths() if task and name != own and _task_of(name) == task]
    # Where the first has become what the second was, they change places.
    session.belongs_to(session.OTHER_MODEL, own, giving_way={own})
    offered = {name: name for name in (*names, own)}
    default, label = next(iter(offered)), _("Second model")
    return controls.selection(label, session.OTHER_MODEL, offered, default, 200, labelled=False)


def _task_of(name: str) -> str:
    """Return the task of a run; empty where its settings cannot be read."""
    try:
        return cached.settings(cached.run_paths()[name]).task
    except RunError:
        return ""


def _head(selected: Selection) -> Second:
    """Ask for another head of the same kind of attention: to begin with, the next one."""
    n_heads, n_layers = len(selected.attention.weights_HQK), len(selected.sites)
    layer, index = divmod(selected.head.layer * n_heads + selected.head.index + 1, n_heads)
    begin = Head(selected.kind.site(layer % n_layers), index)
    with st.container(horizontal=True, vertical_alignment="center"):
        head = _ask_head(selected, selected.inspection, begin)
    return Second(
        what=HEAD,
        path=selected.opened.path,
        sentence=selected.opened.sentence,
        inspecting=selected.inspecting,
        head=head,
        names=(_short(selected.head), _short(head)),
    )


def _ask_head(selected: Selection, inspection: Inspection, begin: Head) -> Head:
    """Ask for the second layer and head, which follow from the first until others are chosen."""
    sites = inspection.sites_of(selected.kind)
    n_heads = len(inspection.attention[sites[0]].weights_HQK)
    session.belongs_to("other_layer", str(selected.head.layer))
    session.belongs_to("other_head", str(selected.head.index))
    layer = begin.layer if begin.layer < len(sites) else 0
    layer = controls.number(_("layer"), len(sites), layer, "other_layer")
    index = begin.index if begin.index < n_heads else 0
    return Head(sites[layer], controls.number(_("head"), n_heads, index, "other_head"))


def _short(head: Head) -> str:
    return _("layer {layer} head {head}").format(layer=number(head.layer), head=number(head.index))


def _translations(selected: Selection, second: Second, found: ComparedHeads) -> str:
    """Return both translations in Markdown, the words that differ in bold."""
    runs = selected.opened.run, cached.loaded(second.path)
    texts = [
        typeset(inspection.translation.text, run)
        for inspection, run in zip(found.inspections, runs, strict=True)
    ]
    first, other = found.inspections
    lines = marked(
        texts[0], texts[1], (typography.doubtful_words(first), typography.doubtful_words(other))
    )
    return "  \n".join(
        _("{name}: {translation}").format(name=plain(name), translation=line)
        for name, line in zip(second.names, lines, strict=True)
    )


def _about(selected: Selection, second: Second, found: ComparedHeads) -> dict[str, str]:
    """Return what a file says of both heads."""
    heads = zip(("head", "second_head"), map(notes.site_and_head, found.heads), strict=True)
    differs = {
        SENTENCE: {"second_sentence": second.sentence},
        MODEL: {"second_model": second.names[1]},
        HEAD: {},
    }[second.what]
    text = f"second_{written_in_files(selected.opened.run)}"
    return {**dict(heads), **differs, text: found.inspections[1].translation.text}


def _map(found: ComparedHeads, second: Second, number_of: int) -> Matrix:
    inspection, head = found.inspections[number_of], found.heads[number_of]
    where = notes.site_and_head(head)
    queries, keys = found.kind.sides
    return Matrix(
        title=where if second.what == HEAD else labelled(where, second.names[number_of]),
        values=inspection.weights_of(head),
        visible=inspection.attention[head.site].visible_QK,
        rows=_linked(query_axis(inspection, found.kind), found.alignment(queries), number_of),
        columns=_linked(key_axis(inspection, found.kind), found.alignment(keys), number_of),
        value_name=_("weight"),
    )


def _difference(found: ComparedHeads, second: Second) -> Matrix:
    shown, end = found.difference, number(found.difference.end, padded=False)
    note = _(
        "Orange: the second looks more; blue: less. The colours end at ±{end}. Only tokens that "
        "both have are compared."
    )
    first, (queries, keys) = found.inspections[0], found.kind.sides
    return Matrix(
        title=_title(found, second),
        values=shown.values_qk,
        visible=shown.visible_qk,
        rows=_paired(query_axis(first, found.kind), found, queries),
        columns=_paired(key_axis(first, found.kind), found, keys),
        scale="signed",
        limit=shown.end,
        note=note.format(end=end),
        value_name=_("difference of weights"),
    )


def _linked(axis: Axis, alignment: Alignment, number_of: int) -> Axis:
    """Return an axis whose tokens are linked to their counterparts."""
    paired = (alignment.first, alignment.second)[number_of]
    pair_of = {position: pair for pair, position in enumerate(paired)}
    # What is in no pair has a number that nothing else has.
    beyond = len(paired) + number_of * 10**6
    return replace(
        axis,
        differs=alignment.differing(number_of),
        links=tuple(pair_of.get(at, beyond + at) for at in range(len(axis.labels))),
    )


def _paired(axis: Axis, found: ComparedHeads, side: Side) -> Axis:
    """Return the axis of the pairs of tokens."""
    alignment, pairs = found.alignment(side), found.pairs(side)
    differing = set(alignment.differing(0))
    labels = tuple(
        replace(axis.labels[at], text=pair.text, continues=False)
        if at in differing
        else axis.labels[at]
        for at, pair in zip(alignment.first, pairs, strict=True)
    )
    return replace(
        axis,
        labels=labels,
        differs=tuple(pair for pair, at in enumerate(alignment.first) if at in differing),
        links=tuple(range(len(labels))),
    )


def _title(found: ComparedHeads, second: Second) -> str:
    """Say what is subtracted from what."""
    what, (first, other) = notes.site_and_head(found.heads[0]), second.names
    if found.heads[0] != found.heads[1]:
        what = capitalised(_(found.kind.full_label))
        if second.what == MODEL:
            first, other = f"{first} {_short(found.heads[0])}", f"{other} {_short(found.heads[1])}"
    return _("{what}: {second} − {first}").format(what=what, first=first, second=other)


def _seen(found: ComparedHeads, second: Second) -> str:
    """Say where the word with the largest difference looks most, in the first and the second."""
    query = changed_query(found.difference)
    if query is None:
        return _("No weight differs.")
    queries, keys = found.kind.sides
    alignment = found.alignment(queries)
    looks = []
    for at, head, inspection in zip(
        (alignment.first[query], alignment.second[query]),
        found.heads,
        found.inspections,
        strict=True,
    ):
        weights_K = inspection.weights_of(head)[at]
        key = seen.token_name(inspection, keys, int(weights_K.argmax()))
        looks.append(
            _("{key} (**{share}**)").format(key=key, share=seen.share(float(weights_K.max())))
        )
    names = [plain(name) for name in second.names]
    if second.what != MODEL:
        names[0] = capitalised(names[0])
    text = _("{first}: “{word}” looks most at {key}; {second}: at {other_key}.")
    return text.format(
        word=plain(found.pairs(queries)[query].text),
        key=looks[0],
        first=names[0],
        other_key=looks[1],
        second=names[1],
    )
