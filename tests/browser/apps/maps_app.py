"""A page with nothing but the attention maps of the case that the address asks for."""

from dataclasses import replace

import streamlit as st

from pages.frame.components import attention_maps
from tests.browser.apps.maps_cases import CASES

maps = st.cache_data(CASES[st.query_params.get("case", "known")])()
selected = st.session_state.setdefault("selected", maps.selected)


def take_pick():
    pick = st.session_state["maps"].pick
    st.session_state["selected"] = (pick["layer"], pick["head"])
    st.session_state["picks"] = st.session_state.get("picks", 0) + 1


def take_zoom():
    zoom = st.session_state["maps"].zoom
    st.session_state["zooms"] = st.session_state.get("zooms", 0) + 1
    st.query_params["zoom"] = ",".join(map(str, zoom.values())) if zoom else "all"


def linked_zoom():
    wanted = st.query_params.get("zoom", "all")
    return None if wanted == "all" else tuple(map(int, wanted.split(",")))


shown = replace(maps, selected=st.session_state["selected"], zoom=linked_zoom())
attention_maps(shown, key="maps", on_pick=take_pick, on_zoom=take_zoom)
if "picks" in st.session_state:
    layer, head = st.session_state["selected"]
    st.text(f"picks: {st.session_state['picks']}, layer {layer}, head {head}")
if "zooms" in st.session_state:
    st.text(f"zooms: {st.session_state['zooms']}, {st.query_params['zoom']}")
