"""A page with nothing but the lines of the case that the address asks for."""

from dataclasses import replace

import streamlit as st

from tests.browser.apps.lines_cases import CASES
from viz.lines.lines import component_assets, pack

assets = component_assets()
linked = st.query_params.get("case", "known")
component = st.components.v2.component(
    "lines_alone", html=assets.html, css=assets.css, js=assets.js
)
lines = st.cache_data(CASES[st.session_state.get("case", linked)])()
taken = st.session_state.setdefault("taken", {})


def take_pick():
    pick = st.session_state["lines"].pin
    taken["pinned"] = None if pick["side"] is None else (pick["side"], pick["index"])


def take_threshold():
    taken["threshold"] = st.session_state["lines"].threshold


def take_heads():
    taken["hidden"] = frozenset(st.session_state["lines"].heads["hidden"])


def other_words():
    st.session_state["case"] = "sentence"
    taken.clear()


component(
    key="lines",
    data=pack(replace(lines, **taken)),
    on_pin_change=take_pick,
    on_threshold_change=take_threshold,
    on_heads_change=take_heads,
)
st.button("other words", on_click=other_words)
st.text(", ".join(f"{name} {value}" for name, value in sorted(taken.items())))
