"""The drawing of a model as an element of a page."""

from collections.abc import Callable

import streamlit as st

from viz.architecture import Architecture, component_assets, pack

_assets = component_assets()
_component = st.components.v2.component(
    "architecture", html=_assets.html, css=_assets.css, js=_assets.js
)


def architecture(shown: Architecture, *, key: str, on_pick: Callable[[], None]) -> None:
    """Show a model's parts and how data flows through them.

    Args:
        shown: The model and which of its parts is selected.
        key: The element's name, under which `st.session_state[key]` holds what was asked for while
            the callback runs.
        on_pick: A part was chosen: `pick` holds `{"part": id}`.
    """
    _component(key=key, data=pack(shown), on_pick_change=on_pick)
