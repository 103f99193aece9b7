"""Bars: one quantity of several things."""

import json
from collections.abc import Mapping, Sequence
from typing import Literal

import altair as alt
import pandas as pd

from viz.charts.curves import SYMBOLS, Quantity, of_series

Drawn = Literal["beside", "stacked", "dots"]

BAR = 20
"""Height of a row of up to `BARS` bars in pixels."""
BARS = 3
AROUND = 110
"""Room for title, legend and axis: the page counts them into a chart's height."""
LEAST = 120
"""Room for the bars, however few."""
DOT = 60
"""Area of a dot, in pixels."""
SHAPES = ("circle", "square", "triangle-up")
LONGEST_NAME = 180
"""Longer names are cut, in pixels."""


def bars(
    series: Mapping[str, Sequence[float]],
    names: Sequence[str],
    *,
    value: Quantity,
    title: str = "",
    drawn: Drawn = "beside",
) -> alt.Chart:
    """Return horizontal bars, one row for each name, from the top.

    Args:
        series: Name of a colour → one value for each row.
        names: What the rows are; the same name may come twice, and any sign may be in it.
        value: What the bars' length is.
        title: A sentence.
        drawn: Whether a row's values are bars beside each other, or one bar since they add up to a
            whole, or dots on one line: 0 is seen, and values that agree stand below each other.
    """
    rows = [
        {"row": row, "name": names[row], "value": number, "series": part, "order": order}
        for order, (part, values) in enumerate(series.items())
        for row, number in enumerate(values)
    ]
    # Rows are numbers with labels, so that two words that read the same stay two rows.
    labels = alt.Axis(
        labelExpr=f"{json.dumps(list(names))}[datum.value]",
        labelLimit=LONGEST_NAME,
        labelOverlap=False,
        # The first and the last name stand beside their bars, too.
        labelFlush=False,
        grid=drawn == "dots",
    )
    lengths = value.axis
    # The number at the end of the axis is not cut.
    lengths["labelFlush"] = True
    room = {"left": 0, "top": 0, "right": 10, "bottom": 5}
    base = alt.Chart(pd.DataFrame(rows, columns=["row", "name", "value", "series", "order"]))
    marks = (
        base.mark_point(filled=True, size=DOT, opacity=1.0) if drawn == "dots" else base.mark_bar()
    )
    encoded = marks.encode(
        x=alt.X("value:Q", title=value.name, axis=lengths, scale=value.scale),
        y=alt.Y("row:O", title=None, axis=labels),
        # None would become a space, and that a line above the legend.
        color=of_series(list(series), SYMBOLS, title=""),
        tooltip=[
            alt.Tooltip("name:N", title=" "),
            alt.Tooltip("series:N", title="  "),
            alt.Tooltip("value:Q", title=value.name, format=value.format),
        ],
    )
    if drawn == "stacked":
        encoded = encoded.encode(order=alt.Order("order:Q"))
    elif drawn == "dots":
        # Also told apart without colour.
        shapes = alt.Scale(domain=list(series), range=SHAPES[: len(series)])
        encoded = encoded.encode(shape=alt.Shape("series:N", title="", scale=shapes))
    elif len(series) > 1:
        encoded = encoded.encode(yOffset=alt.YOffset("series:N", sort=list(series)))
    bars = BAR * len(names) * (1 if drawn != "beside" else max(1, len(series) / BARS))
    return encoded.properties(height=AROUND + max(LEAST, bars), title=title, padding=room)
