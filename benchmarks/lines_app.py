"""The page on which `lines.py` clicks: a button, and other weights after each click."""

import numpy as np
import streamlit as st

from benchmarks.weights import rows_of_softmax
from viz.component.assets import assets_of
from viz.component.payload import TokenLabel
from viz.lines.lines import Lines, pack

st.set_page_config(layout="wide")
heads, queries, keys = (int(n) for n in st.query_params.get("shape", "0x0x0").split("x"))
assets = assets_of("lines")
component = st.components.v2.component("lines", html=assets.html, css=assets.css, js=assets.js)
clicks = st.session_state.get("clicks", 0) + st.button("next")
st.session_state["clicks"] = clicks
st.text(f"clicks: {clicks}")


# Making them is not part of what is measured.
weights = st.cache_data(rows_of_softmax)

if heads:
    # Other weights and other tokens with each click: nothing of the last ones can be kept.
    lines = Lines(
        title="Encoder layer 0: where each word looks",
        weights_HQK=np.roll(weights(heads, queries, keys), clicks, axis=(1, 2)),
        visible_QK=np.ones((queries, keys), np.bool_),
        heads=range(heads),
        queries=tuple(TokenLabel(f"word{clicks + i}") for i in range(queries)),
        keys=tuple(TokenLabel(f"word{clicks + i}") for i in range(keys)),
        sides=("source", "source"),
    )
    component(key="lines", data=pack(lines))
