"""Heads as a table."""

from collections.abc import Mapping, Sequence

import pandas as pd
from pandas.io.formats.style import Styler

from viz import theme

MARK = "●"
"""Stands in the head's colour."""


def head_table(
    heads: Sequence[int],
    columns: Mapping[str, Sequence[object]],
    faint: Mapping[str, Sequence[bool]] | None = None,
    mark: str = " ",
) -> Styler:
    """Return a row for each head, marked with the colour that it has in every picture.

    Args:
        heads: The head's number of each row.
        columns: Name → values, one for each row; numbers stay numbers, so that they are sorted as
            numbers.
        faint: Name of a column → True for the cells that prove nothing, which are grey.
        mark: Name of the column with the marks, which comes first.
    """
    faint = faint or {}
    frame = pd.DataFrame({mark: [MARK] * len(heads), **columns})
    colours = [f"color: {theme.colour(theme.HEADS[h % len(theme.HEADS)])}" for h in heads]
    grey = f"color: {theme.colour(theme.QUIET)}"

    def styles(column: "pd.Series[object]") -> list[str]:
        if column.name == mark:
            return colours
        return [grey if each else "" for each in faint.get(str(column.name), [False] * len(heads))]

    return frame.style.apply(styles)
