"""A page on which captions and other elements come and go above large maps."""

import streamlit as st

from pages.frame.components import attention_maps, show
from tests.browser.apps.maps_cases import CASES
from tests.browser.apps.matrices_cases import CASES as MATRICES

maps = st.cache_data(CASES["vast"])()
if st.toggle("caption"):
    st.caption("It comes above the maps.")
    st.latex("x")
attention_maps(maps, key="maps", on_pick=lambda: None)
if st.session_state.get("middle"):
    st.caption("It comes between both.")
st.toggle("middle", key="middle")
show(MATRICES["leftwards"](), key="matrices")
