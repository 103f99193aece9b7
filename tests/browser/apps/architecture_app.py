"""A page with nothing but the drawing of a model."""

from dataclasses import replace

import streamlit as st

from pages.frame.components import show
from tests.browser.apps.architecture_models import drawn

shown = drawn()
if st.query_params.get("hostile"):
    nodes = [replace(n, label="<b>&") if n.kind == "cross" else n for n in shown.nodes]
    shown = replace(shown, nodes=nodes)
show(shown, key="model")
