"""A page with nothing but the strips of the case that the address asks for."""

import streamlit as st

from pages.frame.components import strips
from tests.browser.apps.strips_cases import CASES, followed

case = st.query_params.get("case", "source")
state = st.session_state


def take_pick():
    pick = state["strips"].pin
    state["followed"] = (pick["side"], pick["index"])
    state["picks"] = state.get("picks", 0) + 1


def take_strip():
    state["strip"] = dict(state["strips"].strip)


shown = followed(*state["followed"]) if "followed" in state else CASES[case]()
strips(shown, key="strips", on_pin=take_pick, on_strip=take_strip)
if "picks" in state:
    st.text(f"picks: {state['picks']}, {state['followed'][0]} {state['followed'][1]}")
if "strip" in state:
    st.text("opened: {kind} {layer} {head}".format(**state["strip"]))
