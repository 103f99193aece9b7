"""The same head with another sentence, or a head of another model, and what differs."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import streamlit as st

from core.heads import Head
from core.inspection import inspect_sentence, merged
from core.studies.heads.comparison import aligned, compare, difference
from core.studies.lessons.embeddings import sentence_cosine, usual_cosine
from pages.frame import cached, components, notes, selection, snippets
from pages.frame.cells import cell_columns
from pages.frame.language import N_, _, number
from pages.frame.listed import joined, labelled
from pages.frame.opening import Opened
from pages.frame.selection import key_axis, query_axis
from pages.frame.translations import say, written_in_files
from pages.frame.view import Column, Shown
from pages.views.attention import differences, second_head, seen, weights
from pages.views.attention.differences import Compared, compared, paired_labels
from viz.plane.matrices import Axis, Matrices, Matrix

COMPARED_MAPS = "compared_maps"
_IMPORTS = (
    "from core.studies.heads.comparison import compare, difference",
    "from core.heads import Head",
)


def draw(opened: Opened) -> Shown | None:
    """Draw both maps and their difference."""
    selected = selection.ask(opened)
    # One place for all that is said, as much as it may be: it must not move the picture.
    with st.container():
        second = second_head.ask(selected)
        if second is None:
            return None
        shown = compared(selected, second)
        say(differences.translations(shown))
    pictures = Matrices(panels=(_map(shown, 0), _map(shown, 1), _difference(shown)))
    picture = components.matrices(pictures, key=COMPARED_MAPS)
    return Shown(
        name=f"{selected.site}.{selected.head.index}.compared",
        title=_title(shown),
        numbers=lambda: _numbers(pictures),
        python=weights.inspecting(selected, *_IMPORTS) + _python(shown),
        about=_about(shown),
        code=[difference, compare, aligned, inspect_sentence, *([merged] * selected.whole_words)],
        seen=joined(
            filter(
                None,
                (
                    _alike(shown),
                    differences.where_pronoun_looks(shown),
                    differences.what_changes(shown),
                    differences.what_differs(shown),
                ),
            )
        ),
        instead=_instead(shown),
        pictures=[picture],
        how_to_read=_(_HOW_TO_READ),
        formula=_FORMULA,
    )


def _alike(shown: Compared) -> str:
    """Say how alike an encoder makes two sentences that guesses no words; empty of other models."""
    first, second = shown.first.opened, shown.second
    config = first.run.model.config
    if second.models or config.has_output or not config.is_encoder_only:
        return ""
    cosine = cached.of_run(sentence_cosine, first.path, first.sentence, second.sentence)
    usual, n = cached.of_run(usual_cosine, first.path)
    return _(
        "The two sentences have cosine **{cosine}** (of the means of their tokens’ vectors); "
        "sentences of the grammar {usual} on average (n = {n})."
    ).format(cosine=number(cosine, 2), usual=number(usual, 2), n=number(n))


def _instead(shown: Compared) -> str:
    """Return another first sentence, where the two sentences are the same."""
    if shown.second.models or shown.second.sentence != shown.first.opened.sentence:
        return ""
    return seen.example(shown.first, lambda _inspection: True)


def _about(shown: Compared) -> dict[str, str]:
    """Return what a file says of the second, and of the first's head."""
    first, second = shown.first, shown.second
    heads = {
        "head": notes.site_and_head(first.head),
        "second_head": notes.site_and_head(second.head),
    }
    differs = {"second_sentence": second.sentence}
    if second.models:
        differs = {"second_model": second.models[1]}
    return (
        heads
        | differs
        | {f"second_{written_in_files(first.opened.run)}": second.inspection.translation.text}
    )


def _map(shown: Compared, side: int) -> Matrix:
    first, second = shown.first, shown.second
    inspection = (first.inspection, second.inspection)[side]
    head = (first.head, second.head)[side]
    return Matrix(
        title=labelled(notes.site_and_head(head), shown.names[side]),
        values=inspection.weights_of(head),
        visible=inspection.attention[head.site].visible_QK,
        rows=_axis(shown, side, of_keys=False),
        columns=_axis(shown, side, of_keys=True),
        value_name=_("weight"),
    )


def _difference(shown: Compared) -> Matrix:
    found = shown.difference
    note = _("Orange: the second looks more; blue: less. The colours end at ±{end}.")
    return Matrix(
        title=_title(shown),
        values=found.values_qk,
        visible=found.visible_qk,
        rows=_paired_axis(shown, of_keys=False),
        columns=_paired_axis(shown, of_keys=True),
        scale="signed",
        limit=found.end,
        note=joined(
            [note.format(end=number(found.end, padded=False)), *differences.left_out(shown)]
        ),
        value_name=_("difference of weights"),
    )


def _title(shown: Compared) -> str:
    """Say what is subtracted from what."""
    names, kind = shown.names, _(shown.first.kind.label)
    heads = shown.first.head, shown.second.head
    where = notes.site_and_head(heads[0])
    first, second = (_short(head) for head in heads)
    if not shown.second.models:
        return _("{where}: second − first").format(where=where)
    if names[0] == names[1]:
        text = _("{name}, {kind}: {second} − {first}")
        return text.format(name=names[0], kind=kind, first=first, second=second)
    if heads[0] == heads[1]:
        text = _("{where}: {second} − {first}")
        return text.format(where=where, first=names[0], second=names[1])
    first, second = f"{names[0]} {first}", f"{names[1]} {second}"
    text = _("Difference, {kind}: {second} − {first}")
    return text.format(kind=kind, first=first, second=second)


def _short(head: Head) -> str:
    return _("layer {layer} head {head}").format(layer=number(head.layer), head=number(head.index))


def _axis(shown: Compared, side: int, *, of_keys: bool) -> Axis:
    alignment = shown.keys if of_keys else shown.queries
    inspection = (shown.first.inspection, shown.second.inspection)[side]
    axis = (key_axis if of_keys else query_axis)(inspection, shown.first.kind)
    paired = (alignment.first, alignment.second)[side]
    pair_of = {position: pair for pair, position in enumerate(paired)}
    # What is in no pair has a number that nothing else has.
    beyond = len(paired) + side * 10**6
    return replace(
        axis,
        differs=alignment.differing(side),
        links=tuple(pair_of.get(at, beyond + at) for at in range(len(axis.labels))),
    )


def _paired_axis(shown: Compared, *, of_keys: bool) -> Axis:
    alignment = shown.keys if of_keys else shown.queries
    axis = (key_axis if of_keys else query_axis)(shown.first.inspection, shown.first.kind)
    labels = paired_labels(shown, of_keys=of_keys)
    differing = set(alignment.differing(0))
    return replace(
        axis,
        labels=labels,
        differs=tuple(pair for pair, at in enumerate(alignment.first) if at in differing),
        links=tuple(range(len(labels))),
    )


def _numbers(pictures: Matrices) -> Mapping[str, Column]:
    """Return one row for each cell; queries and keys of the difference count pairs of tokens."""
    names = ("first", "second", "difference")
    columns: dict[str, list[object]] = {}
    for name, panel in zip(names, pictures.panels, strict=True):
        visible = np.ones(panel.values.shape, np.bool_) if panel.visible is None else panel.visible
        cells: dict[str, Column] = {
            "map": [name] * panel.values.size,
            **cell_columns(panel.rows.labels, panel.columns.labels),
            "visible": visible.reshape(-1).tolist(),
            "value": panel.values.reshape(-1).tolist(),
        }
        for column, values in cells.items():
            columns.setdefault(column, []).extend(values)
    return columns


def _python(shown: Compared) -> str:
    """Return Python that computes the numbers, where the first sentence is inspected."""
    first, second = shown.first, shown.second
    run = "run"
    loading = []
    if second.models:
        run = "other_run"
        loading = [f"other_run = load_run({snippets.folder(second.path)})"]
    return "\n".join(
        [
            *loading,
            f"other = inspect_sentence({run}, {snippets.quoted(second.sentence)})",
            *(["other = merged(other)"] if first.whole_words else []),
            f'first = Head.parse("{first.head}")',
            f'second = Head.parse("{second.head}")',
            "numbers = {",
            '    "first": inspection.weights_of(first),',
            '    "second": other.weights_of(second),',
            '    "difference": difference(compare(inspection, other), first, second).values_qk,',
            "}",
            "",
        ]
    )


_HOW_TO_READ = N_(
    """
- The first two maps show what a head looks at: each **row** is a token that looks (a *query*), each
  **column** a token that is looked at (a *key*). Both have the same colours, from 0 to 1.
- The third shows the second − the first, cell by cell. Grey is no difference; orange means that the
  second looks more there, blue less. The colours end where the largest difference needs it.
- Tokens that both have in common belong together, and so do tokens that stand in the place of as
  many others: these are underlined, and read *first | second* in the difference. What has no
  counterpart is underlined too, and left out of the difference.
- Point at a token or a cell, and its counterparts are marked in the other maps.
- What a row looks less at one token, it looks more at others: where nothing was left out, each row
  of the difference sums to 0.
- One pair of sentences is an observation, not a law. Change one word at a time, and look whether
  other pairs do the same.
"""
)

_FORMULA = r"""
D_{ij} = B_{\sigma(i)\,\tau(j)} - A_{ij}, \qquad
\sigma, \tau: \text{position in the first} \mapsto \text{its counterpart in the second}
"""
