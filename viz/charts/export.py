"""Charts as files: vector pictures and bitmaps, drawn without a browser and without a network."""

from typing import Any

import vl_convert

from viz import theme
from viz.charts.curves import Chart

SHARPNESS = 2
"""Pixels of a bitmap for each of the chart's."""
WIDTH = 720
"""Of a chart that takes the width at hand, in pixels."""


def chart_svg(chart: Chart) -> str:
    """Return a chart as SVG, on paper."""
    return vl_convert.vegalite_to_svg(_specification(chart))


def chart_png(chart: Chart) -> bytes:
    """Return a chart as PNG, on paper."""
    return vl_convert.vegalite_to_png(_specification(chart), scale=SHARPNESS)


def _specification(chart: Chart) -> dict[str, Any]:
    found = chart.to_dict()
    for each in (found, *found.get("vconcat", ())):
        if each.get("width") == "container" or ("width" not in each and "vconcat" not in each):
            each["width"] = WIDTH
    return {**found, "background": theme.PAPER}
