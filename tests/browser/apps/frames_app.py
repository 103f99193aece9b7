"""A page with the maps of 48 heads of 128 tokens, and nothing but what was chosen of them."""

from dataclasses import replace

import streamlit as st

from pages.frame.components import attention_maps
from tests.browser.apps.maps_cases import CASES

maps = st.cache_data(CASES["long"])()


def take_pick():
    pick = st.session_state["maps"].pick
    st.session_state["selected"] = (pick["layer"], pick["head"])


selected = st.session_state.setdefault("selected", maps.selected)
attention_maps(replace(maps, selected=selected), key="maps", on_pick=take_pick)
st.text(f"selected: {selected}")
