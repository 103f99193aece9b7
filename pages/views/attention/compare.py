"""A head beside a second one: with another sentence, of another model, or another of its model."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from core.decoding.sentence import SentenceError
from core.heads import Head, Side
from core.inspection import Inspection, inspect_sentence, merged
from core.runs.run import RunError
from core.studies.heads.comparison import (
    Alignment,
    ComparedHeads,
    compare_heads,
    largest_change,
    most_alike,
)
from core.studies.lessons.embeddings import sentence_cosine, usual_cosine
from core.studies.opening.examples import sources_beside
from core.tasks import TASKS
from pages.frame import cached, components, controls, notes, selection, session, typography
from pages.frame.language import _, capitalised, joined, labelled, n_, number, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Selection, key_axis, query_axis
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
    picture = components.matrices(pictures, key=COMPARED_MAPS)
    said = _alike(selected, second), _where_pronoun_looks(selected, second, found), _change(found)
    same = what == SENTENCE and second.sentence == selected.opened.sentence
    return Shown(
        name=f"{selected.site}.{selected.head.index}.compared",
        title=_title(found, second),
        recipe=recipe,
        about=_about(selected, second, found),
        code=[compare_heads],
        seen=joined(said),
        instead=selection.example(selected, lambda _inspection: True) if same else "",
        pictures=[picture],
        how_to_read=view_text("attention", "maps").sections["How to read a comparison"],
        formula=FORMULA,
    )


def _inspecting(selected: Selection, path: Path, sentence: str) -> Recipe[Inspection]:
    inspecting = Recipe(inspect_sentence, path, sentence)
    return Recipe(merged, inspecting) if selected.whole_words else inspecting


def _sentence(selected: Selection) -> Second | None:
    """Ask for a sentence; until one is typed it is the example that is most like the first."""
    opened, task, first = selected.opened, selected.opened.task, selected.opened.sentence
    beside = sources_beside(opened.run)
    offered = [example.source for example in (task.examples if task else ())] or beside
    others = [source for source in offered if source != first]
    default = most_alike(first, others) if others else first
    # Those of other tasks too: where the model was changed, they mean nothing to it.
    known = {example.source for each in TASKS.values() for example in each.examples} | {*beside}
    session.belongs_to(session.OTHER_SENTENCE, first, giving_way={"", first, *known})
    typed = controls.text(
        _("Second sentence"),
        session.OTHER_SENTENCE,
        default,
        labelled=False,
        placeholder=_("Type a second sentence and press Enter"),
    )
    inspecting = _inspecting(selected, opened.path, typed)
    try:
        inspecting.result()
    except SentenceError:
        st.info(_("Type another sentence to compare with."))
        return None
    return Second(
        what=SENTENCE,
        path=opened.path,
        sentence=typed,
        inspecting=inspecting,
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
    inspecting = _inspecting(selected, paths[name], opened.sentence)
    try:
        inspection = inspecting.result()
    except RunError as error:
        st.error(plain(explained(error)))
        return None
    if not inspection.sites_of(selected.kind):
        st.info(_("{name} has no attention of this kind.").format(name=plain(name)))
        return None
    with row:
        head = _ask_head(selected, inspection, selected.head)
    return Second(
        what=MODEL,
        path=paths[name],
        sentence=opened.sentence,
        inspecting=inspecting,
        head=head,
        names=(own, name),
    )


def _ask_model(selected: Selection, own: str) -> str:
    """Ask for one of the runs of the same task, or for the model itself where there is no other."""
    # Of opened models nobody knows which have a task in common.
    task = selected.opened.run.settings.task
    guides = _guides(task) if task else {own: ""}
    # A free run and a guided one differ most.
    ranked = sorted(guides, key=lambda name: (name == own, bool(guides[name]) == bool(guides[own])))
    # Where the first has become what the second was, they change places.
    session.belongs_to(session.OTHER_MODEL, own, giving_way={own})
    offered = {name: name for name in guides}
    label = _("Second model")
    return controls.selection(label, session.OTHER_MODEL, offered, ranked[0], 200, labelled=False)


def _guides(task: str) -> dict[str, str]:
    """Return the guided head of each run of a task whose settings can be read, by its name."""
    found = {}
    for name, path in cached.run_paths().items():
        with suppress(RunError):
            if (settings := cached.settings(path)).task == task:
                found[name] = settings.training.guide
    return found


def _head(selected: Selection) -> Second:
    """Ask for another head of the same kind of attention: to begin with, the next one."""
    n_heads, n_layers = len(selected.attention.weights_HQK), len(selected.sites)
    layer, index = divmod(selected.layer * n_heads + selected.head.index + 1, n_heads)
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
    session.belongs_to("other_layer", str(selected.layer))
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
    shown = found.difference
    note = _("Orange: the second looks more; blue: less. The colours end at ±{end}.")
    first, (queries, keys) = found.inspections[0], found.kind.sides
    return Matrix(
        title=_title(found, second),
        values=shown.values_qk,
        visible=shown.visible_qk,
        rows=_paired(query_axis(first, found.kind), found, queries),
        columns=_paired(key_axis(first, found.kind), found, keys),
        scale="signed",
        limit=shown.end,
        note=joined([note.format(end=number(shown.end, padded=False)), *_left_out(found, second)]),
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


def _left_out(found: ComparedHeads, second: Second) -> list[str]:
    """Say how many tokens are not in the difference, one sentence for each of the two."""
    sides = dict.fromkeys(found.kind.sides)
    said = []
    for number_of, name in enumerate(second.names):
        n = sum(len(found.alignment(side).alone(number_of)) for side in sides)
        text = n_(
            "{n} token has no counterpart ({name}).",
            "{n} tokens have no counterpart ({name}).",
            n,
        )
        said += [text.format(name=name, n=number(n))] * (n > 0)
    return said


def _alike(selected: Selection, second: Second) -> str:
    """Say how alike an encoder makes two sentences that guesses no words; else nothing."""
    first, config = selected.opened, selected.opened.run.model.config
    if second.what != SENTENCE or config.has_output or not config.is_encoder_only:
        return ""
    cosine = cached.call(sentence_cosine, first.path, first.sentence, second.sentence)
    usual, n = cached.call(usual_cosine, first.path)
    return _(
        "The two sentences have cosine **{cosine}** (of the means of their tokens’ vectors); "
        "sentences of the grammar {usual} on average (n = {n})."
    ).format(cosine=number(cosine, 2), usual=number(usual, 2), n=number(n))


def _where_pronoun_looks(selected: Selection, second: Second, found: ComparedHeads) -> str:
    """Say where the first pronoun looks most in each of two models or heads, if there is one."""
    if second.what == SENTENCE or second.names[0] == second.names[1]:
        return ""
    looks, word = [], ""
    for name, head, inspection in zip(second.names, found.heads, found.inspections, strict=True):
        row = seen.row_of_pronoun(selected.opened, inspection, head.kind)
        if row is None:
            return ""
        word = seen.token_name(inspection, head.kind.query_side, row)
        weights_K = inspection.weights_of(head)[row]
        key = seen.token_name(inspection, head.kind.key_side, int(weights_K.argmax()))
        text = _("**{key}** ({weight}) in {model}")
        weight = seen.weight(float(weights_K.max()))
        looks.append(text.format(key=key, weight=weight, model=plain(name)))
    text = _("**{word}** looks most at {first}, at {second}.")
    return text.format(word=word, first=looks[0], second=looks[1])


def _change(found: ComparedHeads) -> str:
    """Say in Markdown where the second looks most differently."""
    change = largest_change(found.difference)
    if change is None:
        return _("No weight differs.")
    queries, keys = ([each.text for each in found.pairs(side)] for side in found.kind.sides)
    parts = {"query": _named(queries, change.query)}
    if change.more:
        parts |= {"more": seen.weight(change.more[1]), "there": _named(keys, change.more[0])}
    if change.less:
        parts |= {"less": seen.weight(-change.less[1]), "here": _named(keys, change.less[0])}
    if change.more and change.less:
        text = _("{query} looks {more} more at {there} and {less} less at {here}.")
    elif change.more:
        text = _("{query} looks {more} more at {there}.")
    else:
        text = _("{query} looks {less} less at {here}.")
    return text.format(**parts)


def _named(texts: Sequence[str], at: int) -> str:
    """Return a text in quotes, and where it stands if that is not clear."""
    quoted = _("“{text}”").format(text=plain(texts[at]))
    if texts.count(texts[at]) == 1:
        return quoted
    return _("{quoted} (position {at})").format(quoted=quoted, at=number(at))
