"""A page with nothing but the drawing of the model that the address asks for."""

from dataclasses import replace

import streamlit as st

from pages.frame.components import show
from pages.views.lessons.architecture import drawing
from tests.browser.apps.architecture_models import described

asked = st.query_params
layers = [int(asked.get(stack, usual)) for stack, usual in (("encoder", "3"), ("decoder", "2"))]
model = described(*layers, asked.get("norm", "post"))
st.session_state.setdefault("selected", "encoder.0.self")

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
    return replace(node, detail=detail, label=label)


def take():
    st.session_state["selected"] = st.session_state["model"].pick["part"]


shown = drawing(model, st.session_state["selected"])
nodes = [changed(node) if node.shape == "part" else node for node in shown.nodes]
show(replace(shown, nodes=nodes), key="model", on_pick=take)
st.text(f"selected: {st.session_state['selected']}")
