"""Curves: one quantity against another."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from textwrap import wrap

import altair as alt
import pandas as pd

from .. import theme
from .expressions import list_of

HEIGHT = 400
"""Pixels of a chart with its title and legend."""
NAMES_BELOW = alt.ExprRef("width < 420 ? 1 : 0")
"""Columns of a legend: all in a row, or on a phone one below the other, where they would be cut."""
LEGEND = alt.Legend(
    orient="top",
    labelLimit=0,
    symbolType="stroke",
    symbolStrokeWidth=3,
    columns=NAMES_BELOW,
)
"""Of lines."""
SYMBOLS = alt.Legend(orient="top", labelLimit=0, columns=NAMES_BELOW)
"""Of bars and dots."""
POINTS_SHOWN = 60
"""A line with more points than this is drawn without them."""

LINE = 14
"""Height of a line of words, in pixels."""

_ON_A_PHONE = "windowSize()[0] < 640"

_TOP = 0.8
"""Share above which there is no room for words above a point."""
_AT_THE_END = 8
"""Pixels from an axis's end to a tick whose number is turned inwards."""

COLOURS = [theme.colour(rgb) for rgb in theme.HEADS]
"""Of series, in their order."""
QUIET = theme.colour(theme.QUIET)

Chart = alt.Chart | alt.LayerChart | alt.ConcatChart | alt.VConcatChart


def of_series(
    names: Sequence[str],
    legend: alt.Legend = LEGEND,
    title: str | None = None,
) -> alt.Color:
    """Return the channel that gives each series its colour, with a legend where there are several.

    Args:
        names: All series, in the order of their colours.
        legend: Its style.
        title: Above the legend.
    """
    scale = alt.Scale(domain=list(names), range=COLOURS)
    return alt.Color(
        "series:N", title=title, scale=scale, legend=legend if len(names) > 1 else None
    )


def row_names(names: Sequence[str], line: int | None = None) -> str:
    """Return the expression that labels the rows 0, 1, 2 … of an axis.

    Rows are numbers, so that two of them may have the same name, with any signs in it. On a phone a
    name takes lines of at most `line` letters, so that the plot has room.
    """
    found = list_of(names)
    if line is not None:
        wrapped = (wrap(name, line, break_on_hyphens=False) or [""] for name in names)
        found = f"({_ON_A_PHONE} ? [{', '.join(map(list_of, wrapped))}] : {found})"
    return f"{found}[datum.value]"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity with its axis."""

    name: str
    """With the unit."""
    log: bool = False
    share: bool = False
    """True where the values are shares: the axis then goes from 0 to 1 in percent."""
    zero: bool = True
    """False where the axis need not begin at 0."""
    smooth: bool = False
    """True where a curve is drawn as a spline through its points, not as straight lines."""
    labels: tuple[str, ...] = ()
    """What 0, 1, 2 … are called, where they are no amounts."""
    squeezed: float = 0.0
    """Above 0: the axis is linear up to this amount and logarithmic beyond it (symlog), so that
    there is a place for 0."""
    domain: tuple[float, float] | None = None
    """Ends of the axis; None for those of the values."""
    write: Callable[[float], str] | None = None
    """Writes a value beside its bar; without it none is written there."""

    @property
    def format(self) -> str:
        """The format of a value in a tooltip."""
        return ".3~%" if self.share else ".4~g"

    @property
    def axis(self) -> alt.Axis:
        """The ticks and their labels."""
        if self.share and self.squeezed:
            return alt.Axis(format=".2~%", values=[0.0, *_decades(self.squeezed, 1.0)])
        if self.share and self.domain == (0.0, 1.0):
            # Where there is room for few, the last is among them: of six it would be left out.
            return alt.Axis(format=".0%", values=[0.0, 0.25, 0.5, 0.75, 1.0])
        if self.share:
            return alt.Axis(format=".0%" if self.zero else self.format, tickCount=6)
        # Over four decades and more, powers of ten alone.
        return alt.Axis(format=".6~g", tickCount=4 if self.log else 6)

    @property
    def scale(self) -> alt.Scale:
        """The scale of the axis."""
        if self.squeezed:
            return alt.Scale(type="symlog", constant=self.squeezed, nice=False)
        if self.domain:
            ends = list(self.domain)
            return alt.Scale(type="log" if self.log else "linear", domain=ends, nice=False)
        if self.log:
            return alt.Scale(type="log")
        whole = self.share and self.zero
        return alt.Scale(domain=[0, 1]) if whole else alt.Scale(zero=self.zero)


@dataclass(frozen=True, slots=True)
class Rule:
    """A value of x that is marked with a dashed line."""

    x: float
    text: str


@dataclass(frozen=True, slots=True)
class Level:
    """A value of y that is marked with a dashed line."""

    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a falling curve that is marked with a ring and words."""

    x: float
    y: float
    text: str


Places = Sequence[float] | Mapping[str, Sequence[float]] | None


def curves(
    series: Mapping[str, Sequence[float]],
    *,
    x: Quantity,
    y: Quantity,
    at: Places = None,
    title: str = "",
    rules: Sequence[Rule | Level | Mark] = (),
) -> alt.LayerChart:
    """Return one line for each named series.

    Args:
        series: Name → values.
        x: The horizontal quantity.
        y: The quantity of the values.
        at: The values of x, for all series or for each; None for 0, 1, 2 ….
        title: A sentence.
        rules: Values of x, of y, and points, to mark.
    """
    positions = at if isinstance(at, Mapping) else dict.fromkeys(series, at)
    rows = [
        {"x": index if (own := positions[name]) is None else own[index], "y": value, "series": name}
        | ({"place": x.labels[index]} if x.labels else {})
        for name, values in series.items()
        for index, value in enumerate(values)
    ]
    few = max((len(values) for values in series.values()), default=0) <= POINTS_SHOWN
    place = (
        alt.Tooltip("place:N", title=x.name)
        if x.labels
        else alt.Tooltip("x:Q", title=x.name, format=x.format)
    )
    line = (
        alt.Chart(pd.DataFrame(rows))
        .mark_line(
            point=alt.OverlayMarkDef(size=28) if few else False,
            strokeWidth=1.8,
            interpolate="natural" if y.smooth else "linear",
        )
        .encode(
            x=alt.X("x:Q", title=x.name, axis=_counted(x, at), scale=fitting(x)),
            y=alt.Y("y:Q", title=y.name, axis=y.axis, scale=y.scale),
            color=of_series(list(series)),
            # Also told apart without colour.
            strokeDash=alt.StrokeDash("series:N", legend=None, sort=list(series)),
            tooltip=[
                alt.Tooltip("series:N", title=" "),
                place,
                alt.Tooltip("y:Q", title=y.name, format=y.format),
            ],
        )
    )
    upright = [rule for rule in rules if isinstance(rule, Rule)]
    levels = [_level_lines(rule) for rule in rules if isinstance(rule, Level)]
    marks = [_mark_rings(rule) for rule in rules if isinstance(rule, Mark)]
    end = max((float(row["x"]) for row in rows), default=0.0)
    layers = [line, *rule_lines(upright, end), *chain.from_iterable([*levels, *marks])]
    return alt.LayerChart(layer=layers, height=HEIGHT, title=title)


def _counted(x: Quantity, at: Places) -> alt.Axis:
    """Return names where there are any, and whole numbers where steps are counted."""
    if x.labels:
        values = list(range(len(x.labels)))
        return alt.Axis(values=values, labelExpr=row_names(x.labels), labelAngle=-35)
    if at is not None and x.squeezed:
        each = at.values() if isinstance(at, Mapping) else [at]
        ticks = sorted({tick for ticks in each for tick in ticks})
        return alt.Axis(values=ticks, format=",d", labelOverlap=True)
    marks = x.axis if at is not None else alt.Axis(tickMinStep=1, format="d")
    # The number at the end, or a few pixels from it, is not cut.
    marks["labelFlush"] = _AT_THE_END
    return marks


def _decades(low: float, high: float) -> list[float]:
    """Return the powers of ten of a logarithmic axis; where they are few, also 2 and 5 times."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1,) if len(powers) > 4 else (1, 2, 5)
    # Divided, not multiplied, where the power is negative: 0.01, not 0.010000000000000002.
    marks = [
        factor * 10**power if power >= 0 else factor / 10**-power
        for power in powers
        for factor in factors
    ]
    return [mark for mark in marks if low <= mark <= high]


def fitting(x: Quantity) -> alt.Scale:
    """Return the scale of a horizontal axis: it ends where the values end."""
    if x.squeezed or x.domain:
        return x.scale
    return alt.Scale(type="log", nice=False) if x.log else alt.Scale(zero=x.zero, nice=False)


def _level_lines(level: Level) -> list[alt.Chart]:
    """Return the layers that draw a dashed line across, its words above its right end."""
    base = alt.Chart(pd.DataFrame([{"y": level.y, "text": level.text}])).encode(y=alt.Y("y:Q"))
    words = base.mark_text(align="right", baseline="bottom", dx=-4, dy=-3, color=QUIET)
    return [
        base.mark_rule(strokeDash=[6, 3], strokeWidth=1.5, color=QUIET),
        words.encode(x=alt.XValue("width"), text=alt.Text("text:N")),
    ]


def _mark_rings(mark: Mark) -> list[alt.Chart]:
    """Return the layers that draw a ring around a point, its words where no falling curve is."""
    base = alt.Chart(pd.DataFrame([{"x": mark.x, "y": mark.y, "text": mark.text}])).encode(
        x=alt.X("x:Q"), y=alt.Y("y:Q")
    )
    # Above its right, or near the upper end of the axis well below it.
    dx, dy = (-6, 34) if mark.y > _TOP else (8, -LINE // 2)
    words = base.mark_text(align="left", color=QUIET, fontWeight="bold", dx=dx, dy=dy)
    return [
        base.mark_point(size=140, strokeWidth=2, filled=False, color=QUIET),
        words.encode(text=alt.Text("text:N")),
    ]


def rule_lines(rules: Sequence[Rule], end: float = math.inf) -> list[alt.Chart]:
    """Return the layers that draw dashed lines, each with its words a line below the one before.

    Args:
        rules: The lines.
        end: Of the axis: near it, words stand to the left of their line, where they are not cut.
    """
    if not rules:
        return []
    base = alt.Chart(pd.DataFrame([{"x": rule.x, "text": rule.text} for rule in rules]))
    layers = [base.mark_rule(strokeDash=[3, 3], color=QUIET).encode(x=alt.X("x:Q"))]
    for place, rule in enumerate(rules):
        left = rule.x > 0.75 * end
        words = alt.Chart(pd.DataFrame([{"x": rule.x, "text": rule.text}])).mark_text(
            align="right" if left else "left",
            baseline="top",
            dx=-4 if left else 4,
            dy=LINE * place,
            color=QUIET,
        )
        layers.append(words.encode(x=alt.X("x:Q"), y=alt.YValue(0), text=alt.Text("text:N")))
    return layers
