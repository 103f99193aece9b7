"""Charts as files: vector pictures and bitmaps, drawn without a browser and without a network."""

from typing import Any

import vl_convert

from .. import theme
from .curves import Chart
from .signs import ENGLISH, Signs

SHARPNESS = 2
"""Pixels of a bitmap for each of the chart's."""
WIDTH = 720
"""Of a chart that takes the width at hand, in pixels."""


def chart_svg(chart: Chart, signs: Signs = ENGLISH) -> str:
    """Return a chart as SVG, on paper, with numbers as a language writes them."""
    return vl_convert.vegalite_to_svg(_specification(chart, signs))


def chart_png(chart: Chart, signs: Signs = ENGLISH) -> bytes:
    """Return a chart as PNG, on paper, with numbers as a language writes them."""
    return vl_convert.vegalite_to_png(_specification(chart, signs), scale=SHARPNESS)


def _specification(chart: Chart, signs: Signs) -> dict[str, Any]:
    specification = signs.in_chart(chart.to_dict())
    for each in (specification, *specification.get("vconcat", ())):
        of_parts = "vconcat" in each or "concat" in each
        if each.get("width") == "container" or ("width" not in each and not of_parts):
            each["width"] = WIDTH
    return {**specification, "background": theme.PAPER}
