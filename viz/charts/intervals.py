"""Intervals: a mean of several measurements for each of several things, and how sure it is."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from .bars import AROUND, LEAST, LONGEST_NAME
from .curves import COLOURS, QUIET, Quantity, row_names

ROW = 44
"""Height of a row, in pixels."""
_MEAN, _ONE = 120, 26
"""Area of the dot of a mean, and of one measurement, in pixels."""
_BAR = 0.3
"""Share of its row that the bar to a mean takes."""
_WORD = 16
"""How far a word stands below its number, in pixels."""
_NAME_LINE = 20
"""Letters of a line of a name on a phone."""
_APART = 0.8
"""Where in its row a single measurement stands: below the mean, which would hide it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One thing."""

    name: str
    mean: float
    low: float
    """Of the interval; −∞ without one."""
    high: float
    each: Sequence[float] = ()
    """What the mean is of; none where it is a single figure."""
    word: str = ""
    """Stands below the number at the end of its row."""
    is_base: bool = False
    """Whether the others are compared with it."""


def intervals(
    things: Sequence[Measured],
    *,
    value: Quantity,
    of_each: str,
    write: Callable[[float], str],
    title: str = "",
) -> alt.LayerChart:
    """Return a row for each thing, from the top: a dot for the mean on the line of its interval.

    A dashed line stands at the mean with which the others are compared. Shares have a pale bar
    from nothing to the mean. Each mean stands at the end of its row as a number, above a word.

    Args:
        things: What is measured.
        value: What the place of a dot is.
        of_each: What one measurement is called, a seed for example.
        write: Writes a mean.
        title: A sentence.
    """
    first, last = value.domain or (-math.inf, math.inf)
    rows = [
        {
            **{"row": row, "name": each.name, "value": each.mean, "written": write(each.mean)},
            "word": each.word,
            "low": max(each.low, first) if math.isfinite(each.low) else None,
            "high": min(each.high, last) if math.isfinite(each.high) else None,
        }
        for row, each in enumerate(things)
    ]
    points = [
        {"row": row, "name": thing.name, "value": one, "which": f"{of_each} {number}"}
        for row, thing in enumerate(things)
        for number, one in enumerate(thing.each)
    ]
    labels = alt.Axis(
        labelExpr=row_names([each.name for each in things], _NAME_LINE),
        labelFontSize=13,
        labelLimit=LONGEST_NAME,
        labelOverlap=False,
        labelFlush=False,
    )
    lengths = value.axis
    lengths["labelFlush"] = True
    y = alt.Y("row:O", title=None, axis=labels, scale=alt.Scale(type="band", padding=0))
    x = alt.X("value:Q", title=value.name, axis=lengths, scale=value.scale)
    columns = ["row", "name", "value", "written", "word", "low", "high"]
    base = alt.Chart(pd.DataFrame(rows, columns=columns))
    based = [each for each in things if each.is_base]
    number = alt.Tooltip("value:Q", title=value.name, format=value.format)
    line = (
        alt.Chart(pd.DataFrame([{"value": each.mean} for each in based], columns=["value"]))
        .mark_rule(strokeDash=[3, 3], color=QUIET)
        .encode(x=alt.X("value:Q"))
    )
    reach = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2.5, color=COLOURS[0], opacity=0.6)
        .encode(x=alt.X("low:Q", scale=value.scale), x2=alt.X2("high:Q"), y=y)
    )
    ones = (
        alt.Chart(pd.DataFrame(points, columns=["row", "name", "value", "which"]))
        .mark_point(filled=False, size=_ONE, color=QUIET, opacity=1.0)
        .encode(
            x=x,
            y=y,
            yOffset=alt.YOffsetValue(_APART * ROW),
            tooltip=[alt.Tooltip("name:N", title=" "), alt.Tooltip("which:N", title="  "), number],
        )
    )
    means = base.mark_point(filled=True, size=_MEAN, color=COLOURS[0], opacity=1.0).encode(
        x=x, y=y, tooltip=[alt.Tooltip("name:N", title=" "), number]
    )
    # Beside the picture, where they cover nothing.
    numbers = base.mark_text(align="left", dx=10, fontSize=13, color=QUIET).encode(
        x=alt.XValue("width"), y=y, text=alt.Text("written:N")
    )
    words = (
        base.transform_filter("datum.word")
        .mark_text(align="left", dx=10, dy=_WORD, fontSize=13, color=QUIET)
        .encode(x=alt.XValue("width"), y=y, text=alt.Text("word:N"))
    )
    # A layer without a mark would be a picture without a name to who cannot see it.
    drawn = [
        (line, bool(based)),
        (reach, any(row["low"] is not None for row in rows)),
        (ones, bool(points)),
        (means, True),
        (numbers, True),
        (words, any(row["word"] for row in rows)),
    ]
    layers = [layer for layer, marked in drawn if marked]
    if value.share:
        bars = base.mark_bar(color=COLOURS[0], opacity=0.25, height={"band": _BAR}).encode(x=x, y=y)
        layers.insert(0, bars)
    return alt.LayerChart(
        layer=layers,
        height=AROUND + max(LEAST, ROW * len(things)),
        title=title,
    )
