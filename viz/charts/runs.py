"""Several trainings compared: one line for each run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import altair as alt

from viz.charts.curves import COLOURS, Quantity
from viz.charts.measurements import (
    AXES,
    POINTS,
    TEXTS,
    Axes,
    Rows,
    along,
    points,
    upwards,
)
from viz.charts.training import lines, table, titled
from viz.component.payload import complete

PANEL = 160
"""Height of one of several charts above each other, in pixels, without axes and legend."""
STRIP = 34
"""Height of the strip in which a stretch of x is chosen."""
POINTS_IN_ALL = 8_000
"""All lines of a picture have at most this many points together, and at least two each."""

# Beside the colour; 16 colours and 5 dashes tell 80 runs apart.
_DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [14, 4])
_COLUMNS = 4
_LEGEND_WIDTH = 760
# What one sign and what stands beside a name take of it.
_SIGN, _STROKE = 6.5, 50
# So many runs are named in the legend; the pointer names the others.
_NAMED = 32
_GAP = 6
_STRETCH = "stretch"
# Runs that are not looked at stay visible, as what the others are held against.
_FADED = 0.12


def compared(
    runs: Mapping[str, Rows],
    quantities: Sequence[str],
    *,
    axes: Axes = AXES,
    title: str = "",
    texts: Mapping[str, str] = TEXTS,
) -> alt.VConcatChart:
    """Return quantities of several runs above each other, on the same stretch of x.

    A click on a run in the legend fades the others in all charts; the strip at the bottom shows
    the first quantity in whole, and a stretch that is dragged there fills the charts.

    Args:
        runs: Name → measurements.
        quantities: Keys of the measurements, from the top.
        axes: How the axes are drawn.
        title: A sentence.
        texts: Replacements for some of TEXTS.
    """
    texts = complete(texts, TEXTS)
    x = along(runs.values(), axes, texts)
    pictures: list[alt.Chart | alt.LayerChart] = []
    for quantity, named in _thin(runs, quantities, axes).items():
        y = _upwards(named, quantity, axes, texts)
        line, dots = _layers(named, quantity, x, y)
        if not pictures:
            strip = _strip(line, replace(x, name=texts["zoom"]), y)
            # Where the pointer is asked for too: altair gives both to every layer with one.
            dots = dots.add_params(_picked())
        # The lowest chart alone says what x is.
        stretch = _stretch(x, named_below=quantity == quantities[-1])
        layers = [dots.encode(x=stretch), line.encode(x=stretch)]
        pictures.append(alt.LayerChart(layer=layers, height=PANEL))
    return alt.VConcatChart(
        vconcat=[*pictures, strip],
        spacing=_GAP,
        # Only so do charts above each other fill the width that they are given.
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        title=title or ", ".join(texts[quantity] for quantity in quantities),
    )


def _thin(
    runs: Mapping[str, Rows], quantities: Sequence[str], axes: Axes
) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Return, by quantity and run, points that are few enough to be sent."""
    lengths = [
        sum(quantity in row for row in rows) for quantity in quantities for rows in runs.values()
    ]
    fitting = (
        n
        for n in range(POINTS, 2, -1)
        if sum(min(length, n) for length in lengths) <= POINTS_IN_ALL
    )
    most = next(fitting, 2)
    return {
        quantity: {name: points(rows, quantity, axes, most) for name, rows in runs.items()}
        for quantity in quantities
    }


def _upwards(
    named: Mapping[str, Rows], quantity: str, axes: Axes, texts: Mapping[str, str]
) -> Quantity:
    return upwards((point["y"] for line in named.values() for point in line), quantity, axes, texts)


def _layers(
    named: Mapping[str, Rows], quantity: str, x: Quantity, y: Quantity
) -> tuple[alt.Chart, alt.Chart]:
    """Return lines and points, told apart by colour and dashes; faded unless they are chosen.

    The points come first in a picture: vega makes a legend that can be clicked only of the first
    layer, and asks points, not lines, which is nearest to the pointer.
    """
    dotted = list(named) if quantity.startswith("held_out") else []
    line, dots = lines(table(named, dotted=dotted), list(named), x, y, near=f"near_{quantity}")
    names = list(named)
    widest = _STROKE + _SIGN * max(map(len, names), default=0)
    legend = alt.Legend(
        orient="top",
        # As many as have room: runs often differ only at the ends of their names.
        columns=max(1, min(len(names), _COLUMNS, int(_LEGEND_WIDTH / widest))),
        labelLimit=_LEGEND_WIDTH - _STROKE,
        symbolLimit=_NAMED,
        symbolType="stroke",
        symbolSize=300,
        symbolStrokeWidth=2,
    )
    colour = alt.Color(
        "series:N", title=None, scale=alt.Scale(domain=names, range=COLOURS), legend=legend
    )
    dash = alt.StrokeDash(
        "series:N", title=None, scale=alt.Scale(domain=names, range=_DASHES), legend=legend
    )
    shown = alt.when(_picked()).then(alt.value(1)).otherwise(alt.value(_FADED))
    line = line.encode(color=colour, strokeDash=dash, opacity=alt.OpacityValue(**shown))
    return line, dots.encode(
        color=colour, strokeDash=dash, fillOpacity=alt.FillOpacityValue(**shown)
    )


def _picked() -> alt.Parameter:
    return alt.selection_point(name="picked", fields=["series"], bind="legend")


def _stretch(x: Quantity, *, named_below: bool) -> alt.X:
    """Return the axis of what is chosen in the strip; of everything until something is."""
    low, high = x.domain or (0.0, 1.0)
    ends = [alt.ExprRef(f"({_STRETCH}.x || [{low}, {high}])[{end}]") for end in (0, 1)]
    scale = alt.Scale(type="log" if x.log else "linear", domain=ends, nice=False)
    axis = titled(alt.Axis(format=".6~g", tickCount=6, labelFlush=True), named=named_below)
    return alt.X("x:Q", title=x.name, axis=axis, scale=scale)


def _strip(line: alt.Chart, x: Quantity, y: Quantity) -> alt.Chart:
    chosen = alt.selection_interval(name=_STRETCH, encodings=["x"])
    # United with the values: where a strip's axis is a constant, vega asks what is chosen in it
    # before there is anything to ask.
    whole = alt.Scale(type="log" if x.log else "linear", nice=False)
    whole.domain = alt.DomainUnionWith(list(x.domain or (0.0, 1.0)))
    return (
        line.encode(
            x=alt.X("x:Q", title=x.name, axis=x.axis, scale=whole),
            y=alt.Y("y:Q", title=y.name, axis=None, scale=y.scale),
        )
        .add_params(chosen)
        .properties(height=STRIP)
    )
