"""A page with nothing but the attention maps of the case that the address asks for."""

from dataclasses import replace

import streamlit as st

from pages.shared.maps import attention_maps
from tests.browser.apps.maps_cases import CASES

st.set_page_config(layout="wide")
maps = st.cache_data(CASES[st.query_params.get("case", "known")])()
selected = st.session_state.setdefault("selected", maps.selected)


def take_pick():
    pick = st.session_state["maps"].pick
    st.session_state["selected"] = (pick["layer"], pick["head"])
    st.session_state["picks"] = st.session_state.get("picks", 0) + 1


attention_maps(replace(maps, selected=st.session_state["selected"]), key="maps", on_pick=take_pick)
if "picks" in st.session_state:
    layer, head = st.session_state["selected"]
    st.text(f"picks: {st.session_state['picks']}, layer {layer}, head {head}")
