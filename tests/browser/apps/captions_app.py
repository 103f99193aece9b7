"""A page on which a caption and a formula come and go above a large map."""

import streamlit as st

from pages.frame.components import attention_maps
from tests.browser.apps.maps_cases import CASES

maps = st.cache_data(CASES["vast"])()
if st.toggle("caption"):
    st.caption("It comes above the maps.")
    st.latex("x")
attention_maps(maps, key="maps", on_pick=lambda: None)
