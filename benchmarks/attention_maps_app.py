"""The page on which `attention_maps.py` clicks: a button, and other maps after each click."""

import numpy as np
import streamlit as st

from benchmarks.weights import rows_of_softmax
from pages.frame.components import attention_maps, lend_scripts
from viz.component.payload import TokenLabel
from viz.plane.maps import AttentionMaps

st.set_page_config(layout="wide")
with st.container():
    lend_scripts()
layers, heads, tokens = (int(n) for n in st.query_params.get("shape", "0x0x0").split("x"))
clicks = st.session_state.get("clicks", 0) + st.button("next")
st.session_state["clicks"] = clicks
st.text(f"clicks: {clicks}")


def keep_pick() -> None:
    """Take the chosen head over, as a page does."""
    pick = st.session_state["maps"].pick
    st.session_state["selected"] = (pick["layer"], pick["head"])


# Making them is not part of what is measured.
weights = st.cache_data(rows_of_softmax)

if tokens:
    # Another sentence with each click: nothing of the last one can be kept.
    labels = tuple(TokenLabel(f"word{clicks + i}") for i in range(tokens))
    maps = AttentionMaps(
        kind="encoder.self",
        sides=("source", "source"),
        weights=np.roll(weights(layers, heads, tokens, tokens), clicks, axis=(2, 3)),
        visible=np.ones((tokens, tokens), np.bool_),
        queries=labels,
        keys=labels,
        source=labels,
        selected=st.session_state.get("selected", (0, 0)),
    )
    attention_maps(maps, key="maps", on_pick=keep_pick)
