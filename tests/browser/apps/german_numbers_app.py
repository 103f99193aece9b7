"""A chart and a table as they are for whoever reads German."""

from functools import partial

import streamlit as st

from pages.frame import charts, language
from viz.charts.curves import Quantity, curves
from viz.charts.frames import runs_table, written

# The app ships no catalogue of it; this server is for no one else.
language.visitor = lambda: "de"
LOSSES = (10.25, 9.5, 100.125)
charts.chart(
    curves({"loss": [0.0, 0.5]}, x=Quantity("step"), y=Quantity("share", share=True), title="One")
)
charts.chart(curves({"loss": [0.0, 0.5]}, x=Quantity("step"), y=Quantity("loss"), title="Two"))
st.dataframe(
    written(
        runs_table([{"loss": loss} for loss in LOSSES]),
        {"loss": partial(language.number, digits=2)},
    ),
    hide_index=True,
    width=200,
)
