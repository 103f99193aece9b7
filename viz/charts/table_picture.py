"""A table as a picture: what a view without any other shows, for a paper."""

from itertools import islice
from typing import Any

import altair as alt
import pandas as pd

from .. import theme
from ..direction import isolated
from .number_tables import Columns, cell_text
from .signs import ENGLISH, Signs

ROWS = 60
"""Most rows; all of them are in the files of numbers."""
ROW = 20
_LETTER, _APART, _LONGEST = 7, 18, 40
"""Pixels of a letter and between columns, and letters of a cell at most."""


def table_picture(
    columns: Columns, title: str, about: str = "", signs: Signs = ENGLISH
) -> alt.LayerChart:
    """Return the first rows of a table below its title, column by column.

    Args:
        columns: Name of a column → its values, as many in each.
        title: A sentence.
        about: What it is of: model and sentence, as far as there are any.
        signs: What numbers are written with.
    """
    cells, right, n_rows = [], 0, 1
    for name, values in columns.items():
        written = [name, *(_written(value, signs) for value in islice(values, ROWS))]
        left, right = right, right + _LETTER * max(map(len, written)) + _APART
        n_rows = max(n_rows, len(written))
        cells += [{"x": left, "row": row, "text": text} for row, text in enumerate(written)]
    height = ROW * n_rows
    of_cells = alt.Chart(pd.DataFrame(cells, columns=["x", "row", "text"])).encode(
        x=alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, right], nice=False)),
        y=alt.Y("row:Q", axis=None, scale=alt.Scale(domain=[height / ROW, 0], nice=False)),
    )
    words: dict[str, Any] = {"align": "left", "baseline": "top", "fontSize": 12}
    heads, rows = alt.datum.row == 0, alt.datum.row > 0
    drawn = alt.layer(
        of_cells.mark_text(**words, color=theme.colour(theme.QUIET))
        .encode(text=alt.Text("text:N"))
        .transform_filter(heads),
        of_cells.mark_text(**words).encode(text=alt.Text("text:N")).transform_filter(rows),
    ).properties(
        width=right, height=height, title=alt.TitleParams(title, subtitle=about, anchor="start")
    )
    return drawn.configure_view(stroke=None)


def _written(value: object, signs: Signs) -> str:
    text = cell_text(value, signs)
    return isolated(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")
