"""Figures of Plotly: tables as maps of colours, and points that are selected with a lasso.

Plotly is imported when one is drawn. On the page, a figure has the fonts and the background of the
page's theme; in a file, those of `ON_PAPER`.
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import theme
from ..component.assets import Assets, joined, text_of
from ..component.payload import framed
from ..messages import N_
from .signs import ENGLISH, Signs

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Figure
else:
    Figure = Any

Array = NDArray[Any]

PLOTLY_TEXTS: Mapping[str, str] = {
    "file": N_("figure"),
    "png": N_("PNG"),
    "svg": N_("SVG"),
    "png.help": N_("Save as a picture: {title}"),
    "svg.help": N_("Save as a drawing: {title}"),
}
"""What the buttons below a figure say."""
MODEBAR_TEXTS: Mapping[str, str] = {
    "Zoom": N_("Zoom"),
    "Pan": N_("Pan"),
    "Box Select": N_("Select a box"),
    "Lasso Select": N_("Select with a lasso"),
    "Reset axes": N_("Reset axes"),
    "Double-click to zoom back out": N_("Double-click to zoom back out"),
}
"""Plotly's name of a button, or of a hint → its text in the reader's language."""
ON_PAPER: dict[str, Any] = {
    "template": {},
    "paper_bgcolor": theme.PAPER,
    "plot_bgcolor": theme.PAPER,
    "font": {"color": theme.colour(theme.INK), "family": theme.FILE_FONT},
}
"""The part of a layout that is different in files."""
HEIGHT, TABLE_HEIGHT, TITLE_LINE = 560, 400, 40
"""Pixels of points and of a table with their title, and letters of one line of it on a phone."""
BETWEEN = 0.04
"""Room between two maps, as a share of a map."""
PLOT_WIDTH, PLOT_HEIGHT, LETTER, LINE, POINT = 300, 440, 8, 15, 6
"""About the pixels of the plot of points on a phone, of a letter of a label and of its line, and of
what is left between it and its point."""
LABEL_SIDES = {
    "top center": np.array([0, 1]),
    "middle right": np.array([1, 0]),
    "middle left": np.array([-1, 0]),
    "bottom center": np.array([0, -1]),
    "top right": np.array([1, 1]),
    "top left": np.array([-1, 1]),
    "bottom right": np.array([1, -1]),
    "bottom left": np.array([-1, -1]),
}
"""Where Plotly writes a label → the direction from its point."""
_GRID = theme.colour(theme.QUIET, 0.35)
_EDGE = theme.colour(theme.QUIET)


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Points of one colour."""

    points: Array
    """Their places, N × 2."""
    labels: Sequence[str]
    """What each one is: any text, shown on hover where there are no details."""
    ids: Sequence[int | str]
    """By which a selected point is known."""
    name: str
    """What they are together, in the legend; empty where it need not say so."""
    colour: theme.Rgb = theme.QUIET
    labelled: bool = False
    """Whether the label stands beside each point, too."""
    small: bool = False
    """Whether the points are small and pale."""
    symbol: str = "circle"
    """Plotly's name of their shape."""
    details: Sequence[str] = ()
    """What is shown on hover in the place of the labels, line by line; any text."""


@dataclass(frozen=True, slots=True)
class Line:
    """A dotted line across the plot, where one of the two measures has a value."""

    axis: Literal["x", "y"]
    """The axis of that measure."""
    value: float
    colour: theme.Rgb


def heatmap(
    values: Array, columns: Sequence[str], rows: str, *, title: str, signs: Signs = ENGLISH
) -> Figure:
    """Return a table as maps of colours, blue below 0 and orange above it, the first row on top.

    Args:
        values: rows × columns.
        columns: What the columns of each map are. Of n maps side by side the first has the columns
            0, n, 2n …, the second 1, n + 1, 2n + 1 ….
        rows: What the rows are.
        title: What the figure shows.
        signs: What numbers are written with.
    """
    import plotly.graph_objects as go

    limit, steps, n = float(np.abs(values).max()) or 1.0, len(theme.DIVERGING) - 1, len(columns)
    axis = {"showgrid": False, "zeroline": False, "automargin": True}
    rows = _escaped(rows)
    layout = _layout(title, signs) | {
        "yaxis": {**axis, "title": {"text": rows}, "autorange": "reversed"},
        "coloraxis": {
            "cmin": -limit,
            "cmax": limit,
            "colorscale": [
                [at / steps, theme.colour(rgb)] for at, rgb in enumerate(theme.DIVERGING)
            ],
            "colorbar": {"thickness": 12, "outlinewidth": 0},
        },
        "height": TABLE_HEIGHT,
    }
    traces = []
    for at, name in enumerate(map(_escaped, columns)):
        number = at + 1 if at else ""
        domain = [at / n, (at + 1 - BETWEEN * (at + 1 < n)) / n]
        layout[f"xaxis{number}"] = {**axis, "title": {"text": name}, "domain": domain}
        traces.append(
            {
                "type": "heatmap",
                "z": values[:, at::n],
                "x0": at,
                "dx": n,
                "xaxis": f"x{number}",
                "coloraxis": "coloraxis",
                "hovertemplate": f"{rows}: %{{y}}<br>{name}: %{{x}}<br>%{{z:.4f}}<extra></extra>",
            }
        )
    return go.Figure(traces, layout)


def scatter(  # noqa: PLR0913
    groups: Sequence[Points],
    axes: tuple[str, str],
    *,
    title: str,
    height: int = HEIGHT,
    drag: Literal["lasso", "pan"] = "lasso",
    same_scale: bool = True,
    lines: Sequence[Line] = (),
    signs: Signs = ENGLISH,
) -> Figure:
    """Return points, which a click or a line around them selects.

    Args:
        groups: From the lowest to the topmost; those of one name are one entry of the legend.
        axes: What the two axes are.
        title: What the figure shows.
        height: In pixels.
        drag: What dragging does at first. While it draws a lasso, Streamlit reports no clicks.
        same_scale: Whether the axes have one scale, so that distances can be seen.
        lines: Drawn below the points.
        signs: What numbers are written with.
    """
    import plotly.graph_objects as go

    axis = {"gridcolor": _GRID, "zerolinecolor": _EDGE, "showgrid": True, "automargin": True}
    x, y = ({**axis, "title": {"text": _escaped(name)}} for name in axes)
    if same_scale:
        x, y = {**x, "constrain": "domain"}, {**y, "scaleanchor": "x"}
    layout = _layout(title, signs) | {
        "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"},
        "hovermode": "closest",
        "xaxis": x,
        "yaxis": y,
        "shapes": [_shape(line) for line in lines],
        "height": height,
        "dragmode": drag,
    }
    places = _label_places(groups, same_scale=same_scale)
    names = [group.name for group in groups]
    traces = [
        _trace(group, places) | {"showlegend": group.name not in ["", *names[:at]]}
        for at, group in enumerate(groups)
    ]
    return go.Figure(traces, layout)


def _shape(line: Line) -> dict[str, Any]:
    """Return a line from one end of the plot to the other."""
    across = {"x": "y", "y": "x"}[line.axis]
    return {
        "type": "line",
        "layer": "below",
        "line": {"color": theme.colour(line.colour), "dash": "dot", "width": 1.5},
        f"{across}ref": f"{across} domain",
        **{f"{line.axis}{end}": line.value for end in (0, 1)},
        **{f"{across}{end}": end for end in (0, 1)},
    }


def _label_places(groups: Sequence[Points], *, same_scale: bool) -> dict[int | str, str]:
    """Return where each label stands beside its point, so that few are written over each other.

    Returns:
        The point's id → Plotly's name of the place.
    """
    every_N2 = np.concatenate([np.empty((0, 2)), *(group.points for group in groups)])
    width, height = np.ptp(every_N2, axis=0).tolist() if len(every_N2) else (0.0, 0.0)
    pixels_2 = np.array([PLOT_WIDTH / (width or 1.0), PLOT_HEIGHT / (height or 1.0)])
    if same_scale:
        pixels_2[:] = pixels_2.min()
    labelled = [
        (known, label, np.asarray(point) * pixels_2)
        for group in reversed(groups)
        if group.labelled
        for known, label, point in zip(group.ids, group.labels, group.points, strict=True)
    ]
    # Boxes that are taken, by centre and half the size: first those of the points themselves.
    taken = [(at, np.array([4.5, 4.5])) for _known, _label, at in labelled]
    found = {}
    for known, label, at in labelled:
        half = np.array([LETTER * len(label), LINE]) / 2
        boxes = {name: (at + side * (half + POINT), half) for name, side in LABEL_SIDES.items()}
        covered = {name: sum(_overlap(box, each) for each in taken) for name, box in boxes.items()}
        found[known] = min(covered, key=lambda name: covered[name])
        taken.append(boxes[found[known]])
    return found


def _overlap(one: tuple[Array, Array], other: tuple[Array, Array]) -> float:
    """Return the area that two boxes share; each is its centre and half its size."""
    (centre, half), (other_centre, other_half) = one, other
    sides = np.minimum(centre + half, other_centre + other_half)
    sides -= np.maximum(centre - half, other_centre - other_half)
    return float(np.prod(np.maximum(sides, 0.0)))


def _trace(group: Points, places: Mapping[int | str, str]) -> dict[str, Any]:
    x, y = np.asarray(group.points, np.float32).reshape(-1, 2).T
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "name": _escaped(group.name),
        "mode": "markers+text" if group.labelled else "markers",
        "text": [_escaped(label) for label in group.labels],
        "textposition": [places.get(known, "top center") for known in group.ids]
        if group.labelled
        else None,
        "textfont": {"size": 13, "weight": 600},
        "hovertext": [
            _escaped(text).replace("\n", "<br>") for text in group.details or group.labels
        ],
        "customdata": list(group.ids),
        "legendgroup": _escaped(group.name),
        "marker": {
            "color": theme.colour(group.colour),
            "symbol": group.symbol,
            "size": 5 if group.small else 9,
            "opacity": 0.25 if group.small else 1.0,
        },
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _layout(title: str, signs: Signs) -> dict[str, Any]:
    lines = [_escaped(line) for line in wrap(title, TITLE_LINE, break_on_hyphens=False)]
    return {
        # Without one, Plotly has colours of its own.
        "template": {},
        "title": {
            "text": "<br>".join(lines),
            "x": 0,
            "xanchor": "left",
            "y": 0.98,
            "yanchor": "top",
        },
        "meta": {"title": title},
        "height": HEIGHT,
        "margin": {"l": 0, "r": 0, "b": 0, "t": 40 + 20 * len(lines)},
        "separators": signs.decimal + signs.group,
    }


def _escaped(text: str) -> str:
    """Return any text as Plotly, which reads tags and formulas, writes it."""
    return html.escape(text, quote=False).replace("$", "&#36;")


def title_of(figure: Figure) -> str:
    """Return a figure's title as it was given."""
    return str(figure.layout.meta["title"])


def figure_config(texts: Mapping[str, str], locale: str) -> dict[str, Any]:
    """Return how Plotly shows a figure: few buttons, in the reader's language.

    Args:
        texts: Those of `MODEBAR_TEXTS`.
        locale: The reader's language (BCP 47).
    """
    return {
        "displaylogo": False,
        "scrollZoom": False,
        "responsive": True,
        "modeBarButtonsToRemove": ["toImage", "zoomIn2d", "zoomOut2d", "autoScale2d"],
        "locale": locale,
        "locales": {locale: {"dictionary": dict(texts), "format": {}}},
    }


def library() -> str:
    """Return the script plotly.js."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def figure_html(figure: Figure, config: Mapping[str, Any]) -> str:
    """Return a figure as part of an HTML file that has `library`.

    Args:
        figure: The figure.
        config: As `figure_config` returns it.
    """
    import plotly.graph_objects as go
    import plotly.io

    on_paper = go.Figure(figure.data, figure.layout.to_plotly_json() | ON_PAPER)
    return str(
        plotly.io.to_html(
            on_paper,
            config=dict(config),
            include_plotlyjs=False,
            full_html=False,
        )
    )


@cache
def tools_assets() -> Assets:
    """Return the component with the two buttons below a figure."""
    return Assets(
        html=text_of("component/plotly_tools.html"),
        css=theme.css_variables() + text_of("component/shared.css"),
        js=joined("component/plotly_tools"),
    )


def pack_tools(title: str, texts: Mapping[str, str], *, key: str, locale: str = "en") -> bytes:
    """Write what the buttons below a figure need.

    Args:
        title: The figure's.
        texts: Those of `PLOTLY_TEXTS`.
        key: Of the element that holds the figure.
        locale: The reader's language.
    """
    header = {"key": key, "locale": locale, "title": title, "texts": dict(texts)}
    return framed(header | {"paper": ON_PAPER})
