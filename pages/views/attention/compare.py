"""The same head with another sentence, or a head of another model, and what differs."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from core.analysis.heads.comparison import aligned, compare, difference
from core.inspection import inspect_sentence, merged
from pages.frame import components, notes
from pages.frame.export import Column, Taking
from pages.frame.selection import Looked
from pages.frame.text import _
from pages.views.attention import compare_other, lines_of
from pages.views.attention.compare_panels import panels, title
from pages.views.attention.compare_shown import Compared, compared
from pages.views.attention.compare_words import translations, what_changes, what_differs
from viz.plane.matrices import Matrices, component_assets, pack

COMPARED_MAPS = "compared_maps"
_IMPORT = "from core.analysis.heads.comparison import compare, difference"
LONG = 600
"""Letters of both translations that push the picture too far down."""

HOW_TO_READ = _(
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
FORMULA = r"""
D_{ij} = B_{\sigma(i)\,\tau(j)} - A_{ij}, \qquad
\sigma, \tau: \text{position in the first} \mapsto \text{its counterpart in the second}
"""


def draw(looked: Looked) -> Taking | None:
    """Draw both maps and their difference."""
    other = compare_other.ask(looked)
    if other is None:
        return None
    shown = compared(looked, other)
    _say(shown)
    pictures = panels(shown)
    components.matrices(pictures, key=COMPARED_MAPS)
    return Taking(
        name=f"{looked.site}.{looked.head.index}.compared",
        title=title(shown),
        numbers=lambda: _numbers(pictures),
        lines=lines_of.inspecting(looked, _IMPORT, "from core.heads import Head") + _lines(shown),
        about=_about(shown),
        code=[difference, compare, aligned, inspect_sentence, *([merged] * looked.whole_words)],
        component=(component_assets(), lambda: pack(pictures)),
        how_to_read=HOW_TO_READ,
        formula=FORMULA,
    )


def _say(shown: Compared) -> None:
    """Say what changes, and show both translations: below, where they are long."""
    said, both = f"{what_changes(shown)} {what_differs(shown)}", translations(shown)
    if len(both) <= LONG:
        st.markdown(f"{said}  \n{both}")
        return
    st.markdown(said)
    with st.expander(_("Translations"), type="compact"):
        st.markdown(both)


def _about(shown: Compared) -> dict[str, str]:
    """Return what a file says of the second, and of the first's head."""
    looked, other = shown.looked, shown.other
    heads = {
        "head": notes.site_and_head(looked.head),
        "second_head": notes.site_and_head(other.head),
    }
    second = {"second_sentence": other.sentence}
    if other.names:
        second = {"second_model": other.names[1]}
    return heads | second | {"second_translation": other.inspection.translation.text}


def _numbers(pictures: Matrices) -> Mapping[str, Column]:
    """Return one row for each cell; queries and keys of the difference count pairs of tokens."""
    names = ("first", "second", "difference")
    columns: dict[str, list[object]] = {}
    for name, panel in zip(names, pictures.panels, strict=True):
        rows, keys = np.indices(panel.values.shape).reshape(2, -1)
        visible = np.ones(panel.values.shape, np.bool_) if panel.visible is None else panel.visible
        cells: dict[str, Column] = {
            "map": [name] * panel.values.size,
            "query": rows.tolist(),
            "query_token": [panel.rows.labels[row].text for row in rows],
            "key": keys.tolist(),
            "key_token": [panel.columns.labels[key].text for key in keys],
            "visible": visible.reshape(-1).tolist(),
            "value": panel.values.reshape(-1).tolist(),
        }
        for column, values in cells.items():
            columns.setdefault(column, []).extend(values)
    return columns


def _lines(shown: Compared) -> str:
    looked, other = shown.looked, shown.other
    run = "run"
    loading = []
    if other.names:
        run = "other_run"
        loading = [f"other_run = load_run({lines_of.folder(other.path)})"]
    return "\n".join(
        [
            *loading,
            f"other = inspect_sentence({run}, {lines_of.quoted(other.sentence)})",
            *(["other = merged(other)"] if looked.whole_words else []),
            f'first = Head.parse("{looked.head}")',
            f'second = Head.parse("{other.head}")',
            "numbers = {",
            '    "first": inspection.weights_of(first),',
            '    "second": other.weights_of(second),',
            '    "difference": difference(compare(inspection, other), first, second).values_qk,',
            "}",
            "",
        ]
    )
