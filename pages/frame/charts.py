"""Charts as elements of a page."""

import streamlit as st

from viz.charts.curves import Chart


def chart(figure: Chart) -> None:
    """Show a chart over the width at hand; its title is what a screen reader says."""
    st.altair_chart(figure, alt=str(figure.title), width="stretch")
