"""All heads as a table."""

from collections.abc import Mapping, Sequence

import pandas as pd
from pandas.io.formats.style import Styler

from viz import theme

MARK = "●"
"""Stands in the head's colour."""


def head_table(
    heads: Sequence[int], columns: Mapping[str, Sequence[object]], mark: str = "colour"
) -> Styler:
    """Return a row for each head, marked with the colour that it has in every picture.

    Args:
        heads: The head's number of each row.
        columns: Name → values, one for each row; numbers stay numbers, so that they are sorted as
            numbers.
        mark: Name of the column with the marks, which comes first.

    Raises:
        ValueError: A column has not one value for each head.
    """
    lengths = {name: len(values) for name, values in columns.items()}
    if set(lengths.values()) - {len(heads)}:
        raise ValueError(f"{len(heads)} heads need as many values, got {lengths}")
    frame = pd.DataFrame({mark: [MARK] * len(heads), **columns})
    colours = [f"color: {theme.colour(theme.HEADS[h % len(theme.HEADS)])}" for h in heads]
    return frame.style.apply(lambda _marks: colours, subset=[mark])
