"""A page with nothing but the scrubber of the case that the address asks for."""

import time
from dataclasses import replace

import streamlit as st

from pages.frame.components import scrubber
from tests.browser.apps.scrubber_cases import CASES, ODD

state = st.session_state
state.setdefault("picks", [])
case = st.query_params.get("case", "known")


def take_pick():
    state["picks"].append(state["scrubber"].pick["step"])


def start_over():
    state["picks"] = [200]


if case == "odd":
    for name in ODD:
        scrubber(CASES[name](), key=name, on_pick=lambda: None)
else:
    shown = CASES[case]()
    if state["picks"]:
        shown = replace(shown, chosen=state["picks"][-1])
    if st.button("train on"):
        shown = replace(shown, stops=(*shown.stops, 2000), labels=(*shown.labels, ""))
    st.button("start over", on_click=start_over)
    scrubber(shown, key="scrubber", on_pick=take_pick)
    time.sleep(float(st.query_params.get("seconds", 0)))
    state["runs"] = state.get("runs", 0) + 1
    st.text(f"runs: {state['runs']}")
    st.text(f"picked: {state['picks']}")
