"""Numbers in columns as HTML tables, for everybody: people, programs, screen readers.

Numbers of cells, with the columns `query` and `key`, become a table of queries × keys for each
thing that the remaining columns name, in the order in which they come; so do those with `row` and
`column`, and those with `position` and `dimension`. Their texts may stand in columns with `_token`
added. All others stay the rows they are, and so do the rows of such columns that name no cell, and
those of very many cells.
"""

import html
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import cast

from .. import theme
from ..component.payload import complete
from ..messages import N_
from .signs import ENGLISH, Signs

Columns = Mapping[str, Sequence[object]]

DEFAULT_TABLE_TEXTS: Mapping[str, str] = {
    "query": N_("query"),
    "key": N_("key"),
    "row": N_("row"),
    "column": N_("column"),
    "position": N_("position"),
    "dimension": N_("dimension"),
    "token": N_("{position} {text}"),
    "hidden": N_("hidden by the mask"),
    "first": N_("The first {n} of {rows} rows."),
    "empty": N_("Nothing is shown."),
}
"""Every word of the tables beside the columns' own names; {names} are filled in."""

WHOLE = 40
"""Most queries and keys of a table; with more, each weight stays a row."""
ROWS = 400
"""Rows of other tables at most."""
TABLES = 32
"""Most tables that are shown."""

_AXES = (("query", "key"), ("row", "column"), ("position", "dimension"))
"""Columns with the numbers of rows and columns, None where a row of numbers is no cell."""
_VISIBLE = "visible"

_STYLE = """<style>
.numbers {{ overflow: auto; max-height: 32rem; }}
.numbers table {{
  border-collapse: collapse; margin: 0 0 16px;
  font-size: 13px; font-variant-numeric: tabular-nums;
}}
.numbers caption {{ text-align: start; font-weight: 600; padding: 4px 0; }}
.numbers th, .numbers td {{
  border: 1px solid {rule}; padding: 1px 6px; white-space: nowrap; text-align: end;
}}
.numbers th, .numbers td.text {{ font-weight: 400; text-align: start; }}
</style>"""


def number_tables(
    columns: Columns, title: str, texts: Mapping[str, str] | None = None, signs: Signs = ENGLISH
) -> str:
    """Return HTML with all tables of some numbers.

    Args:
        columns: Name → values, all of the same length: numbers, texts, True or False, None. Where
            a column named `visible` is False, a cell says that it is hidden.
        title: What they are the numbers of; any text.
        texts: Replacements for some of DEFAULT_TABLE_TEXTS.
        signs: What numbers are written with.
    """
    texts = complete(texts or {}, DEFAULT_TABLE_TEXTS)
    cells, rest = _apart(columns)
    grids = _grids(cells, title, texts, signs)
    if not any(map(len, columns.values())):
        tables = [f"<p>{html.escape(texts['empty'])}</p>"]
    elif grids is None:
        tables = [_rows(columns, title, texts, signs)]
    else:
        tables = [*islice(grids, TABLES), *([_rows(rest, title, texts, signs)] if rest else [])]
    label = html.escape(title)
    return (
        _STYLE.format(rule=theme.colour(theme.QUIET, 0.4))
        # What can be scrolled has to be reachable without a pointer.
        + f'<div class="numbers" role="region" tabindex="0" aria-label="{label}">'
        + "\n".join(tables)
        + "</div>"
    )


_HIDDEN = object()


def three_digits(value: float) -> str:
    """Return a number with three significant digits and a true minus sign.

    >>> three_digits(0.5), three_digits(-3.4349e-05), three_digits(0.0), three_digits(float("-inf"))
    ('0.500', '−3.43e−05', '0', '−∞')
    """
    text = "0" if value == 0 else f"{value:#.3g}".rstrip(".")
    return text.replace("-", "−").replace(".e", "e").replace("inf", "∞")


def cell_text(value: object, signs: Signs) -> str:
    """Return what stands in a cell: a number with three digits, or any text."""
    if isinstance(value, float):
        return signs.in_text(three_digits(value))
    return "" if value is None else str(value)


def _apart(columns: Columns) -> tuple[Columns, Columns]:
    """Return the rows that are cells, and those that are not; each with the columns it fills."""
    axes = next((pair for pair in _AXES if set(pair) <= set(columns)), ())
    height = len(next(iter(columns.values()), ()))
    cells = [all(columns[place][row] is not None for place in axes) for row in range(height)]
    if all(cells):
        return columns, {}
    return (
        _filled(columns, [row for row in range(height) if cells[row]]),
        _filled(columns, [row for row in range(height) if not cells[row]]),
    )


def _filled(columns: Columns, rows: Sequence[int]) -> Columns:
    """Return some rows, without the columns that say nothing of them."""
    filled = {name: [values[row] for row in rows] for name, values in columns.items()}
    return {name: v for name, v in filled.items() if any(each is not None for each in v)}


def _grids(
    columns: Columns, title: str, texts: Mapping[str, str], signs: Signs
) -> Iterator[str] | None:
    """Return one table for each quantity and thing; None where the rows are not cells."""
    quantities = [name for name, values in columns.items() if _are_floats(values)]
    axes = next((pair for pair in _AXES if set(pair) <= set(columns)), None)
    if not quantities or axes is None:
        return None
    if any(len(set(columns[place])) > WHOLE for place in axes):
        return None
    placed = (*axes, *(f"{place}_token" for place in axes), _VISIBLE)
    others = [name for name in columns if name not in (*placed, *quantities)]
    rows_of: dict[tuple[object, ...], list[int]] = {}
    for row, names in enumerate(zip(*(columns[name] for name in others), strict=True)):
        rows_of.setdefault(names, []).append(row)
    if not others:
        rows_of = {(): list(range(len(columns[axes[0]])))}
    if len(rows_of) == 1:
        # What all cells share, the title says.
        others = []
        rows_of = {(): next(iter(rows_of.values()))}
    return (
        _table(
            " · ".join(filter(None, (title, *map("{} {}".format, others, names), quantity))),
            *_grid(columns, axes, quantity, rows, texts, signs),
        )
        for names, rows in rows_of.items()
        for quantity in quantities
    )


def _grid(
    columns: Columns,
    axes: tuple[str, str],
    quantity: str,
    rows: Sequence[int],
    texts: Mapping[str, str],
    signs: Signs,
) -> tuple[list[str], Iterator[list[str]]]:
    """Return head and rows of the table of a quantity by queries and keys, or rows and columns."""
    query, key = (cast(Sequence[int], columns[place]) for place in axes)
    n = len(query)
    query_token, key_token = (columns.get(f"{place}_token", [""] * n) for place in axes)
    visible = columns.get(_VISIBLE, [True] * n)
    queries = {query[row]: query_token[row] for row in rows}
    keys = {key[row]: key_token[row] for row in rows}
    values = columns[quantity]
    cells = {(query[row], key[row]): values[row] if visible[row] else _HIDDEN for row in rows}
    corner = _head(" \\ ".join(texts[place] for place in axes), "col")
    head = [corner, *(_head(_token(at, text, texts), "col") for at, text in keys.items())]
    lines = (
        [
            _head(_token(at, text, texts), "row"),
            *(_cell(cells.get((at, other)), texts, signs) for other in keys),
        ]
        for at, text in queries.items()
    )
    return head, lines


def _are_floats(values: Sequence[object]) -> bool:
    return any(isinstance(v, float) for v in values) and all(
        v is None or isinstance(v, float) for v in values
    )


def _rows(columns: Columns, title: str, texts: Mapping[str, str], signs: Signs) -> str:
    n = len(next(iter(columns.values())))
    caption = title if n <= ROWS else f"{title} · {texts['first'].format(n=ROWS, rows=n)}"
    cells = (
        [_cell(value, texts, signs) for value in row]
        for row in islice(zip(*columns.values(), strict=True), ROWS)
    )
    return _table(caption, [_head(name, "col") for name in columns], cells)


def _table(caption: str, head: Sequence[str], rows: Iterator[list[str]]) -> str:
    lines = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return (
        f'<table><caption dir="auto">{html.escape(caption)}</caption>\n'
        f"<thead><tr>{''.join(head)}</tr></thead>\n<tbody>\n{lines}\n</tbody></table>"
    )


def _head(text: str, scope: str) -> str:
    return f'<th scope="{scope}">{html.escape(text)}</th>'


def _cell(value: object, texts: Mapping[str, str], signs: Signs) -> str:
    if value is _HIDDEN:
        return f"<td>{html.escape(texts['hidden'])}</td>"
    kind = "" if isinstance(value, int | float) else ' class="text" dir="auto"'
    return f"<td{kind}>{html.escape(cell_text(value, signs))}</td>"


def _token(position: int, text: object, texts: Mapping[str, str]) -> str:
    # In one pass, so that a token reading {position} stays what it is.
    return texts["token"].format(position=position, text=text).rstrip(" ")
