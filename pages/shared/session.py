"""What a visitor is looking at: the only module that touches `st.session_state`.

The widgets of `controls` are bound to the URL under these keys, so that a link, a reload or the
way back shows the same view.
"""

from collections.abc import Mapping

import streamlit as st

MODEL, SENTENCE, KIND, UNIT, LAYER, HEAD = "model", "sentence", "kind", "unit", "layer", "head"
MAPS = "maps"


def choose(values: Mapping[str, object]) -> None:
    """Set widgets; only to be called from callbacks, before the page runs again."""
    for key, value in values.items():
        st.session_state[key] = value


def chosen(key: str) -> str:
    """Return what a widget holds, inside its callback."""
    return str(st.session_state[key])


def take_pick() -> None:
    """Take over the head that was clicked in the maps."""
    if pick := st.session_state[MAPS].pick:
        choose({LAYER: pick["layer"], HEAD: pick["head"]})


def wanted_by_link(key: str) -> str | None:
    """Return what the URL asks for under a key, whether there is such a thing or not."""
    return st.query_params.get(key)
