"""What a visitor's browser and this visit hold: the only module that touches `st.session_state`.

What was chosen is kept by `address`.
"""

from collections.abc import MutableMapping, Sequence
from typing import Any, cast

import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.scriptrunner import get_script_run_ctx

MODEL, SENTENCE, KIND, UNIT, LAYER, HEAD = "model", "sentence", "kind", "unit", "layer", "head"
OTHERS, ROW, OFF, ATTENTION = "others", "row", "off", "attention"
DIAGRAM, PART, LENS, UNITS = "diagram", "part", "lens", "units"
LENS_POSITION, UNIT_POSITION = "lens_position", "unit_position"
MAPS, LINES, HIDDEN = "maps", "lines_element", "hidden"
VIEW, TOKEN, SIDE = "view", "token", "side"
SHOWN, THRESHOLD, DIRECTION = "shown", "threshold", "direction"
OVER_WHAT, HOW = "over_what", "how"
OTHER, OTHER_SENTENCE, OTHER_MODEL = "other", "other_sentence", "other_model"
OTHER_LAYER, OTHER_HEAD = "other_layer", "other_head"
TRIAL, STAGE, CELL = "trial", "stage", "cell"
SILENT, INSTEAD, EFFECT = "silent", "instead", "effect"
SORT, QUERY, KEY, ZOOM = "sort", "query", "key", "zoom"
SCRUBBER, STEP = "scrubber", "step"
STEPPER = "stepper"
RUNS, RUNS_TABLE = "runs", "runs_table"
OVER, ACROSS, LOSSES, SETTINGS = "over", "across", "losses", "settings"
REFERENCE = "reference"
METHOD, BEAM, ALPHA = "method", "beam", "alpha"
TEMPERATURE, TOP_K, TOP_P, SEED = "temperature", "top_k", "top_p", "seed"
_DRAWERS = "_drawers"


def widgets() -> MutableMapping[str, Any]:
    """Return what widgets hold, by their keys."""
    return cast(MutableMapping[str, Any], st.session_state)


def held(key: str, default: object) -> object:
    """Return what a widget holds now, inside its callback."""
    place = unstopped()
    # Streamlit's own state has no `get`.
    if key not in place:
        return default
    return place[key]


def chosen(key: str) -> str:
    """Return what a widget that is no choice of the address holds, inside its callback."""
    return str(unstopped()[key])


def put(key: str, value: object) -> None:
    """Set a widget that is no choice of the address, before it is drawn."""
    st.session_state[key] = value


def drawer(name: str, held: MutableMapping[str, Any] | None = None) -> dict[Any, Any]:
    """Return where a module keeps what it has read, as long as the visit lasts.

    Args:
        name: Of the drawer.
        held: Where it is; without it, in the session.
    """
    place = widgets() if held is None else held
    if _DRAWERS not in place:
        place[_DRAWERS] = {}
    found: dict[Any, Any] = place[_DRAWERS].setdefault(name, {})
    return found


def unstopped() -> MutableMapping[str, Any]:
    """Return the session for a callback.

    Streamlit stops a run at the next look into its session when another request has come, also a
    callback, whose news would be lost: the browser does not send them again.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return widgets()
    return cast(MutableMapping[str, Any], context.session_state._state)


def reported() -> set[str]:
    """Return the keys of all widgets that the browser knows; to be called before any is drawn."""
    # The id of a widget ends in its key.
    return {each.id.split("-", 2)[-1] for each in _sent()}


def is_triggered() -> bool:
    """Say whether a button or a picture was clicked."""
    found = [(each, each.WhichOneof("value") or "") for each in _sent()]
    return any("trigger" in kind and bool(getattr(each, kind)) for each, kind in found)


def is_for_a_part() -> bool:
    """Say whether only a part of the page is drawn."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and bool(context.fragment_ids_this_run)


def _sent() -> list[WidgetState]:
    context = get_script_run_ctx(suppress_warning=True)
    return [] if context is None else context.session_state.get_widget_states()


def take_file(key: str) -> None:
    """Keep name and content of the file that was just chosen; nothing where it was taken away."""
    file = st.session_state[key]
    drawer(key)["file"] = None if file is None else (file.name, file.getvalue())


def tick_rows(table: str, rows: Sequence[int]) -> None:
    """Tick these rows of a table, and no others; to be called before it is drawn."""
    st.session_state[table] = {"selection": {"rows": list(rows), "columns": [], "cells": []}}


def ticked_rows(table: str) -> list[int]:
    """Return the rows that are ticked in a table, as far as is known."""
    place = unstopped()
    return sorted(place[table]["selection"]["rows"]) if table in place else []


def picked_points(key: str, parameter: str) -> list[dict[str, Any]]:
    """Return what was clicked in a chart under one of its parameters, inside its callback."""
    return list(unstopped()[key].selection[parameter])
