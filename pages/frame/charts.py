"""Charts as elements of a page, and as pictures to take away."""

from collections.abc import Callable, Iterable
from functools import partial
from textwrap import wrap
from typing import Any, cast
from unicodedata import east_asian_width

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.frame import components, language, service
from viz.charts.curves import Chart
from viz.charts.expressions import list_of, text_of
from viz.charts.plotly_figures import MODEBAR_TEXTS, Figure, figure_config, figure_html, title_of
from viz.component.standalone import Drawn

_TIGHT = {"title": {"offset": 4}, "legend": {"offset": 8}}
"""In pixels; a chart that says otherwise keeps what it says."""
_WIDE = """
<style>
@media (max-width: 640px) {
  .st-key-KEY { overflow-x: auto; }
  .st-key-KEY > div { min-width: LEASTpx; }
}
</style>
"""
_TITLE_LINE = 36
"""Letters of a title that a chart on a phone has room for in one line; Chinese ones are as wide as
two."""
_ON_A_PHONE = "windowSize()[0] < 640"
_NARROW = "width && containerSize()[0] < 500"
"""The width of the plot is known after the title is laid out: a title that depended on it would
change its lines too late, and be cut. `width` only asks again when the chart is resized."""


class _Shown:
    """A chart whose numbers are written as in the reader's language.

    It is not held against Vega-Lite's schema each time it is shown: tests do that.
    """

    def __init__(self, figure: Chart) -> None:
        self._figure = figure

    def to_dict(self) -> dict[str, Any]:
        """Return its specification, as Streamlit asks for it."""
        found = language.signs().in_chart(self._figure.to_dict(validate=False))
        # Streamlit leaves much room around title and legend, which the picture needs.
        return {**_for_phones(found), "config": {**_TIGHT, **found.get("config", {})}}


def _for_phones(chart: dict[str, Any], narrow: str = _NARROW) -> dict[str, Any]:
    """Return a chart that, where it is narrow, breaks its titles and has one part below another.

    How wide it is, only the browser knows.
    """
    found = dict(chart)
    if "columns" in found:
        found["columns"] = {"signal": f"{_ON_A_PHONE} ? 1 : {found['columns']}"}
    for parts in ("concat", "vconcat"):
        if parts in found:
            # The layout does not change the width of a part.
            found[parts] = [_for_phones(part, "width < 420") for part in found[parts]]
    title = found.get("title")
    line = _TITLE_LINE
    if isinstance(title, str) and any(east_asian_width(letter) == "W" for letter in title):
        line //= 2
    if isinstance(title, str) and len(title) > line:
        # Without a plot of its own it has no width of its own.
        narrow = narrow if "layer" in found or "mark" in found else _ON_A_PHONE
        lines = list_of(wrap(title, line, break_on_hyphens=False))
        found["title"] = {"text": {"expr": f"{narrow} ? {lines} : {text_of(title)}"}}
    return found


def chart(
    figure: Chart,
    *,
    own_width: bool = False,
    key: str | None = None,
    on_click: Callable[[], None] | None = None,
    least: int = 0,
) -> Drawn:
    """Show a chart, and return it as a picture to take away; screen readers read its title.

    Args:
        figure: The chart; where it can be clicked, with a parameter for what a click selects.
        own_width: True for one that does not take the width at hand.
        key: The element's name, where it can be clicked.
        on_click: Called when something was clicked, or a click taken back.
        least: Its width in pixels on a phone, where it scrolls in its own frame; 0 for any.
    """
    service.current().give_way()
    if least:
        st.html(_WIDE.replace("KEY", str(key)).replace("LEAST", str(least)))
    st.altair_chart(
        cast(Chart, _Shown(figure)),
        alt=str(figure.title),
        width="content" if own_width else "stretch",
        key=key,
        on_select=on_click or "ignore",
    )
    return Drawn(chart=figure)


def charts(places: Iterable[DeltaGenerator], figures: Iterable[Chart]) -> list[Drawn]:
    """Show each of several charts in a place of its own; see `chart`."""
    pictures = []
    for place, figure in zip(places, figures, strict=True):
        with place:
            pictures.append(chart(figure))
    return pictures


def plotly_chart(figure: Figure, key: str, on_select: Callable[[], None] | None = None) -> Drawn:
    """Show a figure of Plotly with the buttons that save it, and return it to take away.

    `on_select` is called when points were selected or let go.
    """
    service.current().give_way()
    title = title_of(figure)
    config = figure_config(language.translated(MODEBAR_TEXTS), language.tag())
    st.plotly_chart(figure, key=key, on_select=on_select or "ignore", config=config, alt=title)
    components.plotly_tools(title, key=key)
    return Drawn(figure=partial(figure_html, figure, config))
