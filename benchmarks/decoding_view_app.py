"""The page on which `decoding_view.py` steps: a button, and another sentence after each click."""

from dataclasses import replace

import streamlit as st

from pages.frame.components import lend_scripts, show
from tests.browser.apps.decoding_cases import many, sentence
from viz.component.payload import TokenLabel
from viz.stepper.decoding import DecodingView

st.set_page_config(layout="wide")
with st.container():
    lend_scripts()
clicks = st.session_state.get("clicks", 0) + st.button("next")
st.session_state["clicks"] = clicks
st.text(f"clicks: {clicks}")


@st.cache_data
def shown(case: str) -> DecodingView:
    """The steps as a model gives them; not part of what is measured."""
    return {"sentence": sentence, "many": many}[case]()


def nothing() -> None:
    """Take no request."""


view = shown(st.query_params.get("case", "sentence"))
# Another sentence with each click: nothing of the last one can be kept.
view = replace(view, source=(TokenLabel(f"word{clicks}"), *view.source[1:]))
show(view, key="steps", on_force=nothing, on_step=nothing)
