"""The attention maps as an element of a page."""

from collections.abc import Callable

import streamlit as st

from viz.attention_maps import component_assets

_assets = component_assets()
_component = st.components.v2.component(
    "attention_maps", html=_assets.html, css=_assets.css, js=_assets.js
)


def attention_maps(payload: bytes, *, key: str, on_pick: Callable[[], None]) -> None:
    """Show the maps, with the sentence and its translation above them.

    Args:
        payload: From `viz.attention_maps.pack`.
        key: The element's name; `st.session_state[key].pick` holds `{"layer": …, "head": …}` while
            `on_pick` runs.
        on_pick: Called when another head was chosen, before the page runs again. The page should
            answer with a payload in which that head is selected: it holds its exact weights.
    """
    _component(key=key, data=payload, on_pick_change=on_pick)
