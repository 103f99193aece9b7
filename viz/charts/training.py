"""How one training goes: its loss, how good its model is, how fast it learns."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import altair as alt
import pandas as pd

from viz.charts.curves import HEIGHT, LEGEND, Quantity, Rule, marked, of_series
from viz.charts.measurements import (
    AXES,
    SCORES,
    SHARES,
    TEXTS,
    Axes,
    Rows,
    along,
    complete,
    points,
    upwards,
)

SMALL = 260
"""Lower charts have their quantity as title instead of beside the axis, and smaller legends."""

# Above this part of the axis the words of a rule stand left of it.
_RIGHT = 0.7

_SMALL_LEGEND = alt.Legend(
    orient="top",
    columns=2,
    labelLimit=0,
    labelFontSize=11,
    columnPadding=8,
    rowPadding=0,
    padding=0,
    offset=4,
    symbolType="stroke",
    symbolStrokeWidth=3,
)


def loss_curves(
    rows: Rows,
    *,
    axes: Axes = AXES,
    rules: Sequence[Rule] = (),
    height: int = HEIGHT,
    title: str = "",
    texts: Mapping[str, str] = TEXTS,
) -> alt.LayerChart:
    """Return the loss in training and, with dots, on held-out pairs.

    Args:
        rows: Measurements.
        axes: How the axes are drawn.
        rules: Values of x to mark; one that is not on the axis is left out.
        height: Of the whole chart, in pixels.
        title: A sentence; the name of the quantity where it is empty.
        texts: Replacements for some of TEXTS.
    """
    said = complete(texts)
    series = {key: points(rows, key, axes) for key in ("loss", "held_out_loss")}
    values = [point["y"] for each in series.values() for point in each]
    x = along([rows], axes, said)
    y = upwards(values, "either_loss", axes, said)
    named = {said[key]: line for key, line in series.items()}
    found = table(named, dotted=[said["held_out_loss"]])
    layers = [*lines(found, list(named), x, y, small=height < SMALL), *_rules(rules, x)]
    return _sized(layers, height, title or y.name)


def quality_curves(
    rows: Rows,
    *,
    axes: Axes = AXES,
    height: int = HEIGHT,
    title: str = "",
    texts: Mapping[str, str] = TEXTS,
) -> alt.LayerChart:
    """Return how good the model is on held-out pairs: shares, and scores where there are any.

    BLEU and chrF stand on the same axis, 100 points at 100 %. Arguments as in `loss_curves`.
    """
    said = complete(texts)
    series = {key: points(rows, key, axes) for key in (*SHARES, *SCORES)}
    named = {said[key]: line for key, line in series.items() if line or key in SHARES}
    found = table(named, dotted=list(named))
    scores = found["series"].isin([said[key] for key in SCORES])
    found["value"] = found["y"]
    found["y"] = found["y"].where(~scores, found["y"] / 100)
    found["is_score"] = scores
    x, y = along([rows], axes, said), Quantity(said["quality"], share=True)
    layers = lines(found, list(named), x, y, small=height < SMALL)
    return _sized(layers, height, title or y.name)


def rate_curve(
    rows: Rows,
    *,
    axes: Axes = AXES,
    height: int = HEIGHT,
    title: str = "",
    texts: Mapping[str, str] = TEXTS,
) -> alt.LayerChart:
    """Return the learning rate. Arguments as in `loss_curves`."""
    layers, name = _single(rows, "learning_rate", axes, complete(texts), small=height < SMALL)
    return _sized(layers, height, title or name)


def speed_curve(
    rows: Rows,
    *,
    axes: Axes = AXES,
    height: int = HEIGHT,
    title: str = "",
    texts: Mapping[str, str] = TEXTS,
) -> alt.LayerChart:
    """Return how many tokens a second are trained on. Arguments as in `loss_curves`."""
    layers, name = _single(rows, "tokens_per_second", axes, complete(texts), small=height < SMALL)
    return _sized(layers, height, title or name)


def _single(
    rows: Rows, key: str, axes: Axes, texts: Mapping[str, str], *, small: bool
) -> tuple[list[alt.Chart], str]:
    # Only losses are worth a logarithm.
    straight = replace(axes, log_y=False)
    line = points(rows, key, straight)
    x = along([rows], straight, texts)
    y = upwards([point["y"] for point in line], key, straight, texts)
    return lines(table({y.name: line}), [y.name], x, y, small=small), y.name


_WRITTEN = "datum.is_score ? format(datum.value, '.4~g') : format(100 * datum.value, '.4~g') + ' %'"
"""Put together in the chart, which knows how the reader's language writes numbers."""


def _sized(layers: Sequence[alt.Chart], height: int, title: str) -> alt.LayerChart:
    return alt.LayerChart(layer=list(layers), height=height, title=title)


def table(
    series: Mapping[str, Sequence[Mapping[str, float]]], dotted: Sequence[str] = ()
) -> pd.DataFrame:
    """Return one row for each point of each series: x, y, series, dot.

    Args:
        series: Name → points, as `points` returns them.
        dotted: Names of the series whose points are seen.
    """
    rows = [
        # A line of one point would not be seen.
        {**point, "series": name, "dot": name in dotted or len(line) == 1}
        for name, line in series.items()
        for point in line
    ]
    return pd.DataFrame(rows, columns=["x", "y", "series", "dot"])


def lines(
    found: pd.DataFrame,
    names: Sequence[str],
    x: Quantity,
    y: Quantity,
    *,
    small: bool = False,
    near: str = "near",
) -> list[alt.Chart]:
    """Return the layers of lines whose nearest point shows what it is when the pointer is near.

    Args:
        found: As `table` returns it; a column "is_score", where there is one, tells scores from
            shares in a column "value", which has them as they were measured.
        names: All series in the order of their colours, also those without a point.
        x: The axis along which it is measured.
        y: What the values are.
        small: True where there is no room for the name of y.
        near: What charts that stand in one picture tell their pointers apart by.
    """
    base = alt.Chart(found).encode(
        x=alt.X("x:Q", title=x.name, axis=x.axis, scale=x.scale),
        y=alt.Y("y:Q", title=y.name, axis=titled(y.axis, named=not small), scale=y.scale),
        color=of_series(names, _SMALL_LEGEND if small or len(names) > 2 else LEGEND),
    )
    # Named, so that the chart of the next second is the same chart with more points.
    pointer = alt.selection_point(name=near, nearest=True, on="pointerover", empty=False)
    shown = alt.when(pointer).then(alt.value(1)).when(alt.datum.dot).then(alt.value(1))
    mixed = "is_score" in found
    pointed = base.transform_calculate(written=_WRITTEN) if mixed else base
    dots = pointed.mark_point(filled=True, size=30, clip=True).encode(
        opacity=alt.OpacityValue(**shown.otherwise(alt.value(0))),
        tooltip=[
            *([alt.Tooltip("series:N", title=" ")] if len(names) > 1 else []),
            alt.Tooltip("x:Q", title=x.name, format=x.format),
            alt.Tooltip("written:N", title=y.name)
            if mixed
            else alt.Tooltip("y:Q", title=y.name, format=y.format),
        ],
    )
    return [base.mark_line(strokeWidth=1.8, clip=True), dots.add_params(pointer)]


def titled(axis: alt.Axis, *, named: bool) -> alt.Axis:
    """Return an axis that shows its name or not; screen readers say it all the same.

    Args:
        axis: Of a channel that has a title.
        named: False where there is no room for it.
    """
    if not named:
        axis.title = None
    return axis


def _rules(rules: Sequence[Rule], x: Quantity) -> list[alt.Chart]:
    """Return the marks of those that are on the axis; words near its end stand left of them."""
    low, high = x.domain or (0.0, 1.0)
    placed = [rule for rule in rules if low <= rule.x <= high]
    along = [math.log(v) if x.log else v for v in (low, high, *(rule.x for rule in placed))]
    low, high, *places = along
    return marked(placed, flipped=[(each - low) / (high - low) > _RIGHT for each in places])
