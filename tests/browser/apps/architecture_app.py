"""A page with nothing but the drawing of the model that the address asks for."""

from dataclasses import replace

import streamlit as st

from pages.frame.components import show
from pages.views.lessons.architecture import drawing
from tests.browser.apps.architecture_models import described

asked = st.query_params
model = described(
    int(asked.get("encoder", "3")),
    int(asked.get("decoder", "2")),
    asked.get("norm", "post"),
    tied=asked.get("tied", "1") == "1",
    gate=bool(asked.get("gate")),
    memory=asked.get("memory", "last"),
)
first = "encoder.0.self" if "encoder.0.self" in model.ids else model.ids[0]
st.session_state.setdefault("selected", asked.get("selected", first))

WORDS = {
    "positions": "sinusoids",
    "feed_forward": "128 → 512 → 128",
    "self": "15 × 128, 4 heads",
    "cross": "15 × 12, 4 heads",
    "output": "128 → 137",
    "softmax": "15 × 137",
}


def changed(node):
    detail = WORDS.get(node.id.rsplit(".", 1)[-1], "15 × 128")
    label = "<b>&" if asked.get("hostile") and node.kind == "cross" else node.label
    return replace(node, detail="" if asked.get("bare") else detail, label=label)


def take():
    st.session_state["selected"] = st.session_state["model"].pick["part"]


shown = drawing(model, st.session_state["selected"])
nodes = [changed(node) if node.shape == "part" else node for node in shown.nodes]
show(replace(shown, nodes=nodes), key="model", on_pick=take)
st.text(f"selected: {st.session_state['selected']}")
