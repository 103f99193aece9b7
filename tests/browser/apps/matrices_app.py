"""A page with nothing but the matrices of the case that the address asks for."""

from dataclasses import replace

import numpy as np
import streamlit as st

from pages.frame.components import matrices
from tests.browser.apps.matrices_cases import CASES

shown = CASES[st.query_params["case"]]()
state = st.session_state


def take_pick():
    pick = state["matrices"].pick
    state["selected"] = (pick["panel"], pick["row"], pick["column"])


if state.get("selected"):
    shown = replace(shown, selected=state["selected"])
first, *others = shown.panels
if state.get("others"):
    labels = [replace(label, text=f"other {label.text}") for label in first.rows.labels]
    first = replace(first, rows=replace(first.rows, labels=labels))
    shown = replace(shown, panels=(first, *others))
if state.get("change"):
    shown = replace(shown, panels=(replace(first, values=np.flip(first.values)), *others))
matrices(shown, key="matrices", on_pick=None if "quiet" in st.query_params else take_pick)
st.button("change", key="change")
st.button("others", key="others")
state["runs"] = state.get("runs", 0) + 1
st.text(f"runs: {state['runs']}")
st.text(f"picked: {state.get('selected')}")
