"""What a page of this folder does between two cases."""

import streamlit as st


def blank_between_cases() -> None:
    """Where the address asks for nothing, draw nothing, and forget what was done."""
    if not st.query_params:
        st.session_state.clear()
        st.stop()
