"""A page with nothing but the decoding stepper of the case that the address asks for."""

import streamlit as st

from pages.frame.components import decoding
from tests.browser.apps.decoding_cases import CASES

case = st.query_params.get("case", "known")
if st.query_params.get("choose"):
    case = st.radio("case", list(CASES), index=list(CASES).index(case), horizontal=True)
view = st.cache_data(CASES[case])()
st.session_state["runs"] = st.session_state.get("runs", 0) + 1


def take(name):
    st.session_state["took"] = f"{name} {dict(st.session_state['steps'][name])}"


def rest():
    st.session_state["rests"] = st.session_state["steps"]["step"]["step"]


decoding(
    view,
    key="steps",
    on_step=rest,
    on_force=lambda: take("force"),
    on_corrupt=lambda: take("corrupt"),
    on_undo=lambda: take("undo"),
)
st.text(f"runs: {st.session_state['runs']}")
st.text(st.session_state.get("took", "nothing"))
st.text(f"rests: {st.session_state.get('rests')}")
