"""Charts as elements of a page, and as pictures to take away."""

from collections.abc import Callable
from typing import Any, cast

import streamlit as st

from pages.frame import language
from viz.charts.curves import Chart
from viz.component.standalone import Drawn

_TIGHT = {"title": {"offset": 4}, "legend": {"offset": 8}}
"""In pixels; a chart that says otherwise keeps what it says."""


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
        return {**found, "config": {**_TIGHT, **found.get("config", {})}}


def _shown(figure: Chart) -> Chart:
    return cast(Chart, _Shown(figure))


def chart(figure: Chart, *, own_width: bool = False) -> Drawn:
    """Show a chart, and return it as a picture to take away.

    Its title is what a screen reader says.

    Args:
        figure: The chart.
        own_width: True for one that does not take the width at hand.
    """
    st.altair_chart(
        _shown(figure),
        alt=str(figure.title),
        width="content" if own_width else "stretch",
    )
    return Drawn(chart=figure)


def clickable(figure: Chart, key: str, on_click: Callable[[], None]) -> Drawn:
    """Show a chart in which something can be clicked, as `chart` does.

    Args:
        figure: The chart, with a parameter for what a click selects; see `session.picked_points`.
        key: The element's name.
        on_click: Called when something was clicked, or a click taken back.
    """
    st.altair_chart(
        _shown(figure),
        alt=str(figure.title),
        width="stretch",
        key=key,
        on_select=on_click,
    )
    return Drawn(chart=figure)
