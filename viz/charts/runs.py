"""Several trainings compared: one line for each run."""

from collections.abc import Mapping, Sequence

import altair as alt

from ..component.payload import complete
from .curves import Quantity
from .measurements import TEXTS, Rows, points, upwards
from .training import lines, table

PANEL = 160
"""Height of one of several charts above each other, in pixels, without axes and legend."""
POINTS = 200
"""A line has at most this many points."""
_GAP = 6


def compared(
    runs: Mapping[str, Rows],
    quantities: Sequence[str],
    *,
    title: str = "",
    texts: Mapping[str, str] = TEXTS,
) -> alt.VConcatChart:
    """Return quantities of several runs above each other, on the same axis.

    Args:
        runs: Name → measurements.
        quantities: Keys of the measurements, from the top.
        title: A sentence.
        texts: Replacements for some of TEXTS.
    """
    texts = complete(texts, TEXTS)
    x = Quantity(texts["step"])
    pictures = []
    for quantity in quantities:
        named = {name: points(rows, quantity, POINTS) for name, rows in runs.items()}
        y = upwards(quantity, texts)
        dotted = list(named) if quantity.startswith("held_out") else []
        frame = table(named, dotted=dotted)
        line, dots = lines(frame, list(named), x, y, near=f"near_{quantity}")
        # Also told apart without colour.
        dashed = line.encode(strokeDash=alt.StrokeDash("series:N", legend=None, sort=list(named)))
        pictures.append(alt.LayerChart(layer=[dashed, dots], height=PANEL))
    return alt.VConcatChart(
        vconcat=pictures,
        spacing=_GAP,
        # Only so do charts above each other fill the width that they are given.
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        title=title or ", ".join(texts[quantity] for quantity in quantities),
    )
