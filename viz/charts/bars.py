"""Bars: one quantity of several things."""

from collections.abc import Mapping, Sequence
from typing import Literal

import altair as alt
import pandas as pd

from .curves import COLOURS, QUIET, SYMBOLS, Quantity, of_series, row_names

Drawn = Literal["beside", "stacked", "dots"]

BAR, BARS = 20, 3
"""Height of a row in pixels, and how many bars have room in it."""
AROUND, LEAST = 110, 160
"""Pixels of title, legend and axis, and of the bars, however few."""
DOT = 60
"""Area of a dot, in pixels."""
SHAPES = ("circle", "square", "triangle-up")
WRITTEN = 50
"""Room for the number at the end of a bar, in pixels."""
LONGEST_NAME = 280
"""Longer names are cut, in pixels."""
NAME_LINE, TWO_LINES = 35, 30
"""Letters of a line of a name on a phone, and the height of a row with longer names, in pixels."""


def share_bar(share: float) -> str:
    """Return the HTML of one bar in its true length; Streamlit's own is cut to whole percents."""
    looks = "height: 8px; border-radius: 4px; background:"
    filled = f'<div style="width: {100 * share}%; {looks} {COLOURS[0]}"></div>'
    empty = f"{looks} color-mix(in srgb, currentColor 10%, transparent)"
    return f'<div aria-hidden="true" style="{empty}">{filled}</div>'


def bars(
    series: Mapping[str, Sequence[float]],
    names: Sequence[str],
    *,
    value: Quantity,
    title: str = "",
    drawn: Drawn = "beside",
) -> alt.Chart | alt.LayerChart:
    """Return horizontal bars, one row for each name, from the top.

    Args:
        series: Name of a colour → one value for each row.
        names: What the rows are.
        value: What the bars' length is; with `write`, their ends have a number.
        title: A sentence.
        drawn: Whether a row's values are bars beside each other, or one bar since they add up to a
            whole, or dots on one line: 0 is seen, and values that agree stand below each other.
    """
    rows = [
        {
            **{"row": row, "name": names[row], "value": number, "series": part, "order": order},
            "written": value.write(number) if value.write else "",
        }
        for order, (part, values) in enumerate(series.items())
        for row, number in enumerate(values)
    ]
    labels = alt.Axis(
        labelExpr=row_names(names, NAME_LINE),
        labelLimit=LONGEST_NAME,
        labelOverlap=False,
        # The first and the last name stand beside their bars, too.
        labelFlush=False,
        grid=drawn == "dots",
    )
    lengths = value.axis
    # The number at the end of the axis is not cut.
    lengths["labelFlush"] = True
    columns = ["row", "name", "value", "series", "order", "written"]
    base = alt.Chart(pd.DataFrame(rows, columns=columns))
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
    row = TWO_LINES if max(map(len, names), default=0) > NAME_LINE else BAR
    height = row * len(names) * (1 if drawn != "beside" else max(1, len(series) / BARS))
    figure: alt.Chart | alt.LayerChart = encoded
    if value.write:
        # Beside the bar, on whichever side it ends.
        numbers = base.mark_text(
            align=alt.ExprRef("datum.value < 0 ? 'right' : 'left'"),
            dx=alt.ExprRef("datum.value < 0 ? -5 : 5"),
            color=QUIET,
        ).encode(x="value:Q", y="row:O", yOffset=encoded.encoding.yOffset, text="written:N")
        figure = alt.LayerChart(layer=[encoded, numbers])
    room = {"left": 0, "top": 0, "right": WRITTEN if value.write else 10, "bottom": 5}
    return figure.properties(height=AROUND + max(LEAST, height), title=title, padding=room)
