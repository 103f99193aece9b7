"""Heads as a table."""

from collections.abc import Mapping, Sequence

import pandas as pd
from pandas.io.formats.style import Styler

from viz import theme


def head_table(
    columns: Mapping[str, Sequence[object]], faint: Mapping[str, Sequence[bool]]
) -> Styler:
    """Return a row for each head.

    Args:
        columns: Name → values, one for each row; numbers stay numbers, so that they are sorted as
            numbers.
        faint: Name of a column → True for the cells that prove nothing, which are grey.
    """
    grey = f"color: {theme.colour(theme.QUIET)}"

    def styles(column: "pd.Series[object]") -> list[str]:
        cells = faint.get(str(column.name), [False] * len(column))
        return [grey if each else "" for each in cells]

    return pd.DataFrame(columns).style.apply(styles)
