"""The numbers of a stage of a head as columns, and the Python that computes them again."""

from collections.abc import Mapping

import numpy as np

from core.analysis.heads.stages import Stage, bias, panels
from core.analysis.heads.steps import HeadSteps
from core.analysis.heads.terms import terms
from pages.frame.export import Column
from pages.frame.selection import Looked, key_tokens, query_tokens
from pages.frame.text import _
from pages.views.attention import lines_of
from pages.views.attention.steps_terms import RESULTS

_IMPORTS = (
    "from core.analysis.heads.stages import Stage, matrices",
    "from core.analysis.heads.steps import head_steps",
    "from core.analysis.heads.terms import terms",
    "from core.heads import Head",
)


def numbers(
    looked: Looked, steps: HeadSteps, stage: Stage, cell: tuple[int, int]
) -> Mapping[str, Column]:
    """Return one row for each number: of every matrix, the result first, and of a cell's terms.

    Where a row or a column is a token and not a dimension, its text stands beside its number.

    Args:
        looked: Whose tokens they are.
        steps: Of the head.
        stage: One of them.
        cell: Row and column of the result whose terms are written.
    """
    shown = [*panels(steps, stage), *filter(None, [bias(steps, stage)])]
    found: dict[str, list[object]] = {}
    for panel in shown:
        of_panel = _tokens(looked, panel.rows), _tokens(looked, panel.columns)
        _add(found, panel.name, panel.values, of_panel)
    made = terms(steps, stage, *cell)
    names = (*made.names[1:], _(RESULTS[made.rule]))
    values = np.stack([made.left_N, made.right_N, made.terms_N])
    tokens = _tokens(looked, made.over)
    columns = [tokens[place] for place in made.places] if tokens else ()
    _add(found, _("terms of {number}").format(number=made.names[0]), values, (names, columns))
    return found


def lines(looked: Looked, stage: Stage, cell: tuple[int, int]) -> str:
    """Return Python that computes the numbers again."""
    opened = looked.opened
    return (
        lines_of.loading(looked, *_IMPORTS)
        + f"""head = Head.parse("{looked.head}")
steps = head_steps(run, {lines_of.quoted(opened.sentence)}, head)
found = terms(steps, Stage.{stage.name}, {cell[0]}, {cell[1]})
numbers = {{
    **matrices(steps, Stage.{stage.name}),
    "terms": [found.left_N, found.right_N, found.terms_N],
}}
"""
    )


def _add(
    found: dict[str, list[object]],
    name: str,
    values: np.ndarray[tuple[int, ...], np.dtype[np.floating]],
    names: tuple[Column, Column],
) -> None:
    rows, columns = np.indices(values.shape).reshape(2, -1).tolist()
    cells: dict[str, Column] = {
        "matrix": [name] * values.size,
        "row": rows,
        "row_token": [names[0][row] for row in rows] if names[0] else [""] * values.size,
        "column": columns,
        "column_token": [names[1][at] for at in columns] if names[1] else [""] * values.size,
        "value": values.reshape(-1).tolist(),
    }
    for column, written in cells.items():
        found.setdefault(column, []).extend(written)


def _tokens(looked: Looked, axis: str) -> Column:
    """Return the texts of an axis of tokens; nothing for dimensions."""
    of = {"query": query_tokens, "key": key_tokens}.get(axis)
    inspection = looked.opened.inspection
    return () if of is None else [token.text for token in of(inspection, looked.kind)]
