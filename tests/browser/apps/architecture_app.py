"""A page with nothing but the drawing of the model that the address asks for."""

import streamlit as st

from pages.frame.components import architecture
from tests.browser.apps.blank import blank_between_cases
from viz.architecture import Architecture, part_ids

st.set_page_config(layout="wide")
blank_between_cases()
asked = st.query_params
n_encoder = int(asked.get("encoder", "3"))
n_decoder = int(asked.get("decoder", "2"))
norm = asked.get("norm", "post")
ids = part_ids(n_encoder, n_decoder, norm)
first = "encoder.0.self" if "encoder.0.self" in ids else ids[0]
st.session_state.setdefault("selected", asked.get("selected", first))

WORDS = {
    "positions": "sinusoids",
    "feed_forward": "128 → 512 → 128",
    "self": "15 × 128, 4 heads",
    "cross": "15 × 12, 4 heads",
    "output": "128 → 137",
    "softmax": "15 × 137",
}
details = {each: WORDS.get(each.rsplit(".", 1)[-1], "15 × 128") for each in ids}
if asked.get("bare"):
    details = {}


def take():
    st.session_state["selected"] = st.session_state["model"].pick["part"]


architecture(
    Architecture(
        n_encoder_layers=n_encoder,
        n_decoder_layers=n_decoder,
        norm=norm,
        tied=asked.get("tied", "1") == "1",
        selected=st.session_state["selected"],
        details=details,
        texts={"cross": "<b>&"} if asked.get("hostile") else {},
    ),
    key="model",
    on_pick=take,
)
st.text(f"selected: {st.session_state['selected']}")
