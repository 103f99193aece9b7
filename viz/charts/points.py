"""Points in a plane: each one a thing, near those that are like it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from viz import theme
from viz.charts.curves import QUIET, SYMBOLS, of_series

PICKED = "picked"
"""What clicks select: the numbers of points, under `id`."""
_HEIGHT, _PLOT = 480, 340
"""Pixels of the chart, and about those of its plot."""
_LETTER, _LINE, _POINT = 8, 15, 7
"""Pixels of a letter of a label, of its line, and between a point and its label."""
_AROUND = 0.08
"""Room around all points, as a share of how far they spread."""
_SIDES = ((0, 1), (1, 0), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
"""Where a label may stand: to the right and up of its point."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Points of one colour."""

    points: NDArray[np.floating[Any]]
    """Their places, N × 2."""
    labels: Sequence[str]
    """What each one is: any text, shown on hover."""
    ids: Sequence[int]
    """By which a selected point is known."""
    name: str
    """What they are together, in the legend."""
    colour: theme.Rgb = theme.QUIET
    labelled: bool = False
    """Whether the label stands beside each point; others are small and pale."""


def points(groups: Sequence[Points], axes: tuple[str, str], *, title: str) -> alt.LayerChart:
    """Return points, which clicks select and let go, on one scale for both axes.

    Args:
        groups: From the lowest to the topmost.
        axes: What the two axes are.
        title: What the chart shows.
    """
    every_N2 = np.concatenate([group.points for group in groups])
    low, high = every_N2.min(axis=0), every_N2.max(axis=0)
    middle, spread = (low + high) / 2, np.maximum(high - low, 1e-9) * (1 + 2 * _AROUND)
    x, y = (
        _axis(at, name, float(middle[at]), f"max({spread[0]} / width, {spread[1]} / height)")
        for at, name in enumerate(axes)
    )
    names = [group.name for group in groups]
    colours = [theme.colour(group.colour) for group in groups]
    base = alt.Chart(pd.DataFrame(_rows(groups, float(_PLOT / spread[1])))).encode(x=x, y=y)
    picked = alt.selection_point(name=PICKED, fields=["id"], toggle="true", empty=False)
    dots = base.mark_point(filled=True, cursor="pointer").encode(
        color=of_series(names, SYMBOLS, colours=colours),
        size=alt.Size("area:Q", scale=None),
        opacity=alt.Opacity("opacity:Q", scale=None),
        tooltip=[alt.Tooltip("label:N", title=" "), alt.Tooltip("series:N", title="  ")],
    )
    rings = base.transform_filter(picked).mark_point(size=180, strokeWidth=2, color=QUIET)
    words = base.transform_filter("datum.labelled").mark_text(
        **{"fontSize": 13, "fontWeight": 600, "color": QUIET},
        **{shift: alt.ExprRef(f"datum.{shift}") for shift in ("dx", "dy")},
    )
    layers = [dots.add_params(picked), rings, words.encode(text=alt.Text("label:N"))]
    return alt.LayerChart(layer=layers, height=_HEIGHT, title=title)


def _axis(at: int, name: str, middle: float, unit: str) -> alt.X | alt.Y:
    """Return an axis on which a pixel is a `unit`, so that distances are true in all directions."""
    channel, pixels = ((alt.X, "width"), (alt.Y, "height"))[at]
    ends = {
        "domainMin": alt.ExprRef(f"{middle} - {unit} * {pixels} / 2"),
        "domainMax": alt.ExprRef(f"{middle} + {unit} * {pixels} / 2"),
    }
    scale = alt.Scale(nice=False, zero=False, **ends)
    return channel(f"{'xy'[at]}:Q", title=name, scale=scale)


def _rows(groups: Sequence[Points], scale: float) -> list[dict[str, object]]:
    """Return a row for each point; `scale` is how many pixels a unit takes, about."""
    taken = [
        _Box(at * scale, np.array([_POINT, _POINT]))
        for group in groups
        if group.labelled
        for at in group.points
    ]
    rows: list[dict[str, object]] = []
    for group in groups:
        for at, label, each in zip(group.points, group.labels, group.ids, strict=True):
            shift = _beside(at * scale, label, taken) if group.labelled else np.zeros(2)
            rows.append(
                {
                    **{"x": float(at[0]), "y": float(at[1]), "label": label, "id": int(each)},
                    **{"series": group.name, "labelled": group.labelled},
                    **{"area": 80 if group.labelled else 25},
                    **{"opacity": 1.0 if group.labelled else 0.25},
                    # On the screen, y goes down.
                    **{"dx": float(shift[0]), "dy": -float(shift[1])},
                }
            )
    return rows


@dataclass(frozen=True, slots=True, eq=False)
class _Box:
    """What is taken already, in pixels."""

    centre: NDArray[np.floating[Any]]
    half: NDArray[np.floating[Any]]

    def overlap(self, other: "_Box") -> float:
        """Return the area that two boxes share."""
        sides = np.minimum(self.centre + self.half, other.centre + other.half)
        sides -= np.maximum(self.centre - self.half, other.centre - other.half)
        return float(np.prod(np.maximum(sides, 0.0)))


def _beside(
    at: NDArray[np.floating[Any]], label: str, taken: list[_Box]
) -> NDArray[np.floating[Any]]:
    """Return how far from its point a label stands so that it covers least, and take that place."""
    half = np.array([_LETTER * len(label), _LINE]) / 2
    boxes = [_Box(at + np.array(side) * (half + _POINT), half) for side in _SIDES]
    best = min(boxes, key=lambda box: sum(map(box.overlap, taken)))
    taken.append(best)
    return best.centre - at
