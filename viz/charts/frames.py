"""Numbers as tables."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler


def runs_table(rows: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Return one row for each run; a column for whatever is known of any of them.

    Args:
        rows: What is known of each run, by the name of its column. Numbers stay numbers, so that
            they are sorted as numbers; where a run lacks one, nothing stands.

    Returns:
        Columns in the order in which they first come.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return pd.DataFrame({name: _column([row.get(name) for row in rows]) for name in columns})


def written(table: pd.DataFrame | Styler, writers: Mapping[str, Callable[[Any], str]]) -> Styler:
    """Return a table that shows numbers as they are written, and sorts them as numbers.

    Args:
        table: Any, also one with colours.
        writers: Name of a column → what writes a value of it; columns that are not there are
            passed over. Where a value is missing, nothing stands.
    """
    style = table.style if isinstance(table, pd.DataFrame) else table
    return style.format(dict(writers), na_rep="")


def _column(values: Sequence[object]) -> "pd.Series[object]":
    """Return whole numbers as such also where some are missing; pandas would make fractions."""
    known = [value for value in values if value is not None]
    if any(value is None for value in values) and known and all(type(v) is int for v in known):
        return pd.Series(values, dtype="Int64")
    return pd.Series(values)
