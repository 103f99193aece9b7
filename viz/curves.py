"""Curves over steps and positions."""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from viz import theme

HEIGHT = 320


def curves(
    series: Mapping[str, Sequence[float]], *, x: str, y: str, share: bool = False
) -> alt.Chart:
    """Return one line for each named series over 0, 1, 2 …; the legend says which is which.

    Args:
        series: Name → values.
        x: What is counted.
        y: What the values are, with the unit.
        share: True where the values are shares: the axis then goes from 0 to 1 in percent.
    """
    rows = [
        {"x": index, "y": value, "series": name}
        for name, values in series.items()
        for index, value in enumerate(values)
    ]
    axis = alt.Axis(format=".0%") if share else alt.Axis(format="~s")
    scale = alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=True)
    colours = [theme.colour(rgb) for rgb in theme.HEADS[: len(series)]]
    line = (
        alt.Chart(pd.DataFrame(rows, columns=["x", "y", "series"]))
        .mark_line(point=alt.OverlayMarkDef(size=28), strokeWidth=1.8)
        .encode(
            x=alt.X("x:Q", title=x, axis=alt.Axis(tickMinStep=1, format="d")),
            y=alt.Y("y:Q", title=y, axis=axis, scale=scale),
            color=alt.Color(
                "series:N",
                title=None,
                scale=alt.Scale(domain=list(series), range=colours),
                legend=alt.Legend(orient="top", labelLimit=0),
            ),
            # Also told apart without colour.
            strokeDash=alt.StrokeDash("series:N", legend=None),
            tooltip=[
                alt.Tooltip("series:N", title=" "),
                alt.Tooltip("x:Q", title=x),
                alt.Tooltip("y:Q", title=y, format=".3~%" if share else ".3s"),
            ],
        )
    )
    return line.properties(height=HEIGHT)
