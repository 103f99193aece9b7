"""Dumbbells: one quantity of several things, before and after a change."""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from viz.charts.curves import HEIGHT, QUIET, SYMBOLS, Quantity, of_series, row_names

_BAND = alt.Scale(type="band", padding=0)


def dumbbells(
    series: Mapping[str, Sequence[float]],
    names: Sequence[str],
    *,
    groups: Sequence[str],
    value: Quantity,
    of: str,
    title: str = "",
) -> alt.LayerChart:
    """Return a column for each thing, with one dot for each series and a line between its dots.

    Args:
        series: Name of a colour → one value for each thing.
        names: What the things are; short, since they stand side by side.
        groups: To which group each belongs; those of one group are neighbours.
        value: What the height is.
        of: What the things are, for the axis.
        title: A sentence.
    """
    rows = [
        {"at": at, "name": f"{group} · {name}", "series": part, "value": number}
        for at, (name, group, *numbers) in enumerate(
            zip(names, groups, *series.values(), strict=True)
        )
        for part, number in zip(series, numbers, strict=True)
        # 0 has no place on a logarithmic axis.
        if number > 0 or not value.log
    ]
    labels = alt.Axis(labelExpr=row_names(names), labelAngle=0, labelOverlap=True)
    x = alt.X("at:O", title=of, axis=labels, scale=_BAND)
    y = alt.Y("value:Q", title=value.name, axis=value.axis, scale=value.scale)
    base = alt.Chart(pd.DataFrame(rows, columns=["at", "name", "series", "value"]))
    bar = base.mark_line(color=QUIET, strokeWidth=1.2, opacity=0.6)
    dots = base.mark_point(filled=True, size=60, opacity=1.0).encode(
        x=x,
        y=y,
        color=of_series(list(series), SYMBOLS),
        # Also told apart without colour.
        shape=alt.Shape(
            "series:N", title=None, sort=list(series), scale=alt.Scale(domain=list(series))
        ),
        tooltip=[
            alt.Tooltip("name:N", title=of),
            alt.Tooltip("series:N", title=" "),
            alt.Tooltip("value:Q", title=value.name, format=value.format),
        ],
    )
    lines = bar.encode(x=x, y=y, detail=alt.Detail("at:O"))
    layers = [lines, dots, *_borders(groups)]
    return alt.LayerChart(layer=layers, height=HEIGHT, title=title)


def _borders(groups: Sequence[str]) -> list[alt.Chart]:
    """Return the groups' names, each above its first thing, and a line where each begins."""
    firsts = [at for at, group in enumerate(groups) if at == 0 or groups[at - 1] != group]
    base = alt.Chart(pd.DataFrame([{"at": at, "group": groups[at]} for at in firsts]))
    start = alt.X("at:O", bandPosition=0, scale=_BAND)
    return [
        base.mark_rule(strokeDash=[3, 3], color=QUIET).encode(x=start),
        base.mark_text(align="left", baseline="top", dx=4, color=QUIET).encode(
            x=start, y=alt.YValue(0), text=alt.Text("group:N")
        ),
    ]
