"""What a visitor's browser and this visit hold: the only module that touches `st.session_state`.

What was chosen is kept by `address`.
"""

from collections.abc import MutableMapping, Sequence
from typing import Any, cast

import streamlit as st

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
    """Return what a widget holds now, also where only a part of the page runs again."""
    return st.session_state.get(key, default)


def chosen(key: str) -> str:
    """Return what a widget that is no choice of the address holds, inside its callback."""
    return str(st.session_state[key])


def put(key: str, value: object) -> None:
    """Set a widget that is no choice of the address, before it is drawn."""
    st.session_state[key] = value


def drawer(name: str) -> dict[Any, Any]:
    """Return where a module keeps what it has read, as long as the visit lasts."""
    drawers: dict[str, dict[Any, Any]] = st.session_state.setdefault(_DRAWERS, {})
    return drawers.setdefault(name, {})


def take_file(key: str) -> None:
    """Keep name and content of the file that was just chosen; nothing where it was taken away."""
    file = st.session_state[key]
    drawer(key)["file"] = None if file is None else (file.name, file.getvalue())


def tick_rows(table: str, rows: Sequence[int]) -> None:
    """Tick these rows of a table, and no others; to be called before it is drawn."""
    st.session_state[table] = {"selection": {"rows": list(rows), "columns": [], "cells": []}}


def ticked_rows(table: str) -> list[int]:
    """Return the rows that are ticked in a table, as far as is known."""
    held = st.session_state.get(table)
    return sorted(held["selection"]["rows"]) if held else []


def picked_points(key: str, parameter: str) -> list[dict[str, Any]]:
    """Return what was clicked in a chart under one of its parameters, inside its callback."""
    return list(st.session_state[key].selection[parameter])
