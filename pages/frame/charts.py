"""Charts as elements of a page."""

import streamlit as st

from viz.charts.curves import Chart
from viz.component.standalone import Drawn


def chart(figure: Chart) -> Drawn:
    """Show a chart over the width at hand, and return it as a picture to take away.

    Its title is what a screen reader says.
    """
    st.altair_chart(figure, alt=str(figure.title), width="stretch")
    return Drawn(chart=figure)
