"""Labelled matrices as an element of a page."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from pages.frame.text import _
from viz.plane.matrices import component_assets, pack
from viz.plane.matrices_view import DEFAULT_MATRICES_TEXTS, Matrices

_assets = component_assets()
_component = st.components.v2.component(
    "matrices", html=_assets.html, css=_assets.css, js=_assets.js
)


def matrices(shown: Matrices, *, key: str, on_pick: Callable[[], None] | None = None) -> None:
    """Show one or several matrices side by side.

    Args:
        shown: The matrices; texts that it does not replace are translated.
        key: The element's name; `st.session_state[key].pick` holds `{"panel": …, "row": …,
            "column": …}` while `on_pick` runs.
        on_pick: Called when a cell was chosen, before the page runs again. The page should answer
            with that cell selected. None if cells cannot be chosen.
    """
    texts = {name: _(text) for name, text in DEFAULT_MATRICES_TEXTS.items()}
    translated = replace(shown, texts={**texts, **shown.texts})
    data = pack(translated, picks=on_pick is not None)
    if on_pick is None:
        _component(key=key, data=data)
    else:
        _component(key=key, data=data, on_pick_change=on_pick)
