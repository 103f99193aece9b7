"""Who passes something on to whom: points in columns, and lines between them as thick as it is."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from viz import theme
from viz.charts.bars import PICKED
from viz.charts.curves import Quantity

ROW = 62
"""Height of a row of points in pixels."""
AROUND = 96
"""Room for the title and the names of the columns."""
_THICK, _THIN = 9.0, 0.5
_HIT = 16
"""A thin line is clicked as easily as a thick one."""
_PARTS = 16
"""Straight pieces of a line."""
_BENDS = (0.0, 0.5, -0.5, 0.3, -0.3)
"""How far a line may bend, in rows; the first that is farthest from all points it passes by."""
ENDS = ("A", "B")
"""What stands where the chosen line begins and ends, so that words can speak of them."""
_NODE = 950
"""Area of a point, in pixels: it holds a name of four signs."""


@dataclass(frozen=True, slots=True)
class Point:
    """Whoever passes something on, or is given it."""

    name: str
    """At most four signs."""
    full_name: str


@dataclass(frozen=True, slots=True)
class Line:
    """What one point passes on to another."""

    start: int
    """Number of a point, as all columns count them, one after the other."""
    end: int
    value: float
    """Lines are as thick as its amount, whether it is above 0 or below."""


def wiring(
    columns: Mapping[str, Sequence[Point]],
    lines: Sequence[Line],
    *,
    value: Quantity,
    chosen: int,
    title: str,
    note: str,
) -> alt.LayerChart:
    """Return points in their columns, from left to right, and the lines between them.

    A click selects a line (`PICKED`): its number stands under `row`.

    Args:
        columns: What a column is called → its points, also those from which no line goes.
        lines: At least one.
        value: What a line's thickness is.
        chosen: The line that has a colour, and whose ends have it and are called `ENDS`.
        title: A sentence.
        note: What the thickness says; stands below.
    """
    points = [point for each in columns.values() for point in each]
    places = [(x, y) for x, each in enumerate(columns.values()) for y in range(len(each))]
    largest = max(abs(line.value) for line in lines) or 1.0
    drawn = pd.DataFrame(
        [
            {
                "row": number,
                "name": f"{points[line.start].full_name} → {points[line.end].full_name}",
                "value": line.value,
                "width": _THIN + (_THICK - _THIN) * abs(line.value) / largest,
                "chosen": number == chosen,
                **{"at": at, "x": x, "y": y},
            }
            for number, line in enumerate(lines)
            for at, (x, y) in enumerate(_way(places[line.start], places[line.end]))
        ]
    )
    marked = dict(zip((lines[chosen].start, lines[chosen].end), ENDS, strict=True))
    placed = pd.DataFrame(
        [
            {
                **{"x": x, "y": y, "full_name": point.full_name},
                **{"name": marked.get(number, point.name), "chosen": number in marked},
            }
            for number, (point, (x, y)) in enumerate(zip(points, places, strict=True))
        ]
    )
    n_rows = max(map(len, columns.values()))
    x = alt.X(
        "x:Q",
        axis=None,
        scale=alt.Scale(domain=[-0.5, len(columns) - 0.5], nice=False, zero=False),
    )
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[n_rows - 0.2, -1.0], nice=False))
    accent, quiet = theme.colour(theme.HEADS[0]), theme.colour(theme.QUIET)
    tooltip = [
        alt.Tooltip("name:N", title=" "),
        alt.Tooltip("value:Q", title=value.name, format=value.format),
    ]
    ways = alt.Chart(drawn).encode(
        x=x, y=y, order=alt.Order("at:Q"), detail=alt.Detail("row:N"), tooltip=tooltip
    )
    is_chosen = alt.when(alt.datum.chosen)
    seen = ways.mark_line(strokeCap="round").encode(
        strokeWidth=alt.StrokeWidth("width:Q", scale=None, legend=None),
        color=alt.ColorValue(**is_chosen.then(alt.value(accent)).otherwise(alt.value(quiet))),
        opacity=alt.OpacityValue(**is_chosen.then(alt.value(1.0)).otherwise(alt.value(0.55))),
    )
    hit = ways.mark_line(strokeWidth=_HIT, opacity=0.0, cursor="pointer").add_params(
        alt.selection_point(name=PICKED, fields=["row"])
    )
    nodes = alt.Chart(placed).encode(x=x, y=y, tooltip=alt.Tooltip("full_name:N", title=" "))
    circles = nodes.mark_point(filled=True, size=_NODE, opacity=1.0).encode(
        color=alt.ColorValue(
            **is_chosen.then(alt.value(accent)).otherwise(alt.value(theme.colour(theme.POINT)))
        )
    )
    names = nodes.mark_text(fontSize=13).encode(
        text=alt.Text("name:N"),
        color=alt.ColorValue(**is_chosen.then(alt.value("white")).otherwise(alt.value("black"))),
    )
    above = alt.Chart(pd.DataFrame({"x": range(len(columns)), "name": list(columns)}))
    heads = above.mark_text(fontSize=13, color=quiet, lineBreak="\n").encode(
        x=x, y=alt.YValue(12), text=alt.Text("name:N")
    )
    below = alt.Chart(pd.DataFrame({"text": [note]})).mark_text(
        align="left", baseline="line-bottom", fontSize=13, color=quiet, lineBreak="\n"
    )
    notes = below.encode(x=alt.XValue(0), y=alt.YValue("height"), text=alt.Text("text:N"))
    return alt.LayerChart(
        layer=[heads, seen, hit, circles, names, notes], height=AROUND + ROW * n_rows, title=title
    )


def _way(start: tuple[int, int], end: tuple[int, int]) -> list[tuple[float, float]]:
    """Return columns and rows along a line, which bends so that it passes between other points."""
    columns, rows = end[0] - start[0], end[1] - start[1]

    def row(at: float, bend: float) -> float:
        return start[1] + at * rows + bend * math.sin(math.pi * at)

    def nearest(bend: float) -> float:
        passed = [row(at / columns, bend) for at in range(1, columns)]
        return min((abs(each - round(each)) for each in passed), default=0.5)

    bend = max(_BENDS, key=nearest)
    parts = [at / _PARTS for at in range(_PARTS + 1)]
    return [(start[0] + at * columns, row(at, bend)) for at in parts]
