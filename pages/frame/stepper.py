"""The decoding stepper as an element of a page."""

from collections.abc import Callable

import streamlit as st

from viz.stepper.decoding import DecodingView, decoding_assets, pack_decoding

_assets = decoding_assets()
_component = st.components.v2.component(
    "decoding", html=_assets.html, css=_assets.css, js=_assets.js
)


def decoding(
    view: DecodingView,
    *,
    key: str,
    on_force: Callable[[], None],
    on_corrupt: Callable[[], None],
    on_undo: Callable[[], None],
) -> None:
    """Show a sentence being decoded; moving from step to step does not run the page again.

    Args:
        view: All steps.
        key: The element's name, under which `st.session_state[key]` holds what was asked for while
            one of the callbacks runs.
        on_force: Another token was chosen: `force` holds `{"step": …, "token": …}`, the token's id.
        on_corrupt: A token shall be replaced by a wrong one: `corrupt` holds `{"step": …}`.
        on_undo: A token put in by hand shall go: `undo` holds `{"step": …}`.
    """
    _component(
        key=key,
        data=pack_decoding(view),
        on_force_change=on_force,
        on_corrupt_change=on_corrupt,
        on_undo_change=on_undo,
    )
