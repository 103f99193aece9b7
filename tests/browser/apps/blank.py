"""What the pages of this folder share beside what they show."""

import streamlit as st

from pages.frame.components import lend_scripts


def lend_scripts_unseen() -> None:
    """Lend the scripts as the app does: nothing moves when their place becomes empty.

    They stand apart from those of the app, which have keys to wait for (`waiting.py`).
    """
    st.html("<style>.st-key-components { display: none; }</style>")
    with st.container(key="components"):
        lend_scripts()


def blank_between_cases() -> None:
    """Where the address asks for nothing, draw nothing, and forget what was done."""
    if not st.query_params:
        st.session_state.clear()
        st.stop()
