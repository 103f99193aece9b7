"""A histogram: how often a share between 0 and 1 has which size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from viz import theme
from viz.charts.curves import of_series

HEIGHT = 215
"""Title, legend and axis included."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A value that is marked with a dashed line, and words above it."""

    value: float
    text: str


def histogram(
    series: Mapping[str, Sequence[int]],
    *,
    value: str,
    count: str,
    title: str = "",
    mark: Mark | None = None,
) -> alt.LayerChart:
    """Return bars of equal width from 0 to 1, the parts of a bar on top of each other.

    Args:
        series: Name of a colour → how many values lie in each bin.
        value: What is counted.
        count: What the bars' height is.
        title: A sentence.
        mark: A value to mark; None for none.
    """
    rows = [
        {"from": place / len(counts), "to": (place + 1) / len(counts), "count": number}
        | {"series": name, "order": order}
        for order, (name, counts) in enumerate(series.items())
        for place, number in enumerate(counts)
        if number
    ]
    bars = (
        alt.Chart(pd.DataFrame(rows, columns=["from", "to", "count", "series", "order"]))
        .mark_bar(binSpacing=1)
        .encode(
            x=alt.X(
                "from:Q",
                title=value,
                bin=alt.BinParams(binned=True),
                axis=alt.Axis(
                    format=".1f",
                    values=[0, 0.2, 0.4, 0.6, 0.8, 1],
                    titlePadding=2,
                    labelFlush=True,
                ),
                scale=alt.Scale(domain=[0, 1]),
            ),
            x2=alt.X2("to:Q"),
            y=alt.Y("count:Q", title=count, stack=True, axis=alt.Axis(tickCount=4)),
            color=of_series(list(series), alt.Legend(orient="top", labelLimit=0, columns=2)),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("series:N", title=" "),
                alt.Tooltip("from:Q", title=value, format=".2f"),
                alt.Tooltip("count:Q", title=count),
            ],
        )
    )
    layers = [bars, *_marked(mark)]
    return alt.LayerChart(layer=layers, height=HEIGHT, title=title)


def _marked(mark: Mark | None) -> list[alt.Chart]:
    if mark is None:
        return []
    quiet = theme.colour(theme.QUIET)
    base = alt.Chart(pd.DataFrame([{"x": mark.value, "text": mark.text}])).encode(x=alt.X("x:Q"))
    words = base.mark_text(align="left", baseline="bottom", dx=-4, color=quiet)
    return [
        base.mark_rule(strokeDash=[3, 3], color=quiet),
        words.encode(y=alt.YValue(-2), text=alt.Text("text:N")),
    ]
