"""Links from one page to another that keep the visitor's session."""

from collections.abc import Mapping

import streamlit as st


def link(page: str, label: str, icon: str, query_params: Mapping[str, str]) -> None:
    """Show a link to a page of the app.

    Args:
        page: Its address, as `app.py` lists it; empty for the first page.
        label: What the link says.
        icon: A name of Streamlit's.
        query_params: What the page opens with.
    """
    # Streamlit tells pages apart by their addresses alone; what is called stays that of `app.py`.
    target = st.Page(_elsewhere, title=label, url_path=page or None, default=not page)
    st.page_link(target, label=label, icon=icon, query_params=dict(query_params))


def _elsewhere() -> None:
    """Stand in for a page."""
