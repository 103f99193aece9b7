"""What a visitor's browser and this visit hold: the only module that touches `st.session_state`.

What was chosen is kept by `address`.
"""

from collections.abc import Mapping, MutableMapping
from typing import Any, cast

import streamlit as st

MODEL, SENTENCE, KIND, UNIT, LAYER, HEAD = "model", "sentence", "kind", "unit", "layer", "head"
OTHERS, ROW, OFF, ATTENTION = "others", "row", "off", "attention"
DIAGRAM, PART, LENS, UNITS = "diagram", "part", "lens", "units"
LENS_POSITION, UNIT_POSITION = "lens_position", "unit_position"
VECTORS_POSITION = "vectors_position"
STREAM_POSITION = "stream_position"
MAPS, LINES, HIDDEN = "maps", "lines_element", "hidden"
VIEW, TOKEN, SIDE, COLUMN = "view", "token", "side", "column"
SHOWN, THRESHOLD, DIRECTION = "shown", "threshold", "direction"
OVER_WHAT, HOW = "over_what", "how"
OTHER, OTHER_SENTENCE, OTHER_MODEL = "other", "other_sentence", "other_model"
OTHER_LAYER, OTHER_HEAD = "other_layer", "other_head"
TRIAL, STAGE, CELL = "trial", "stage", "cell"
SILENT, INSTEAD, EFFECT = "silent", "instead", "effect"
ZOOM = "zoom"
SCRUBBER, STEP = "scrubber", "step"
STEPPER = "stepper"
DECODING_STEP = "decoding_step"
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
    return unstopped().get(key, default)


def chosen(key: str) -> str:
    """Return what a widget that is no choice of the address holds, inside its callback."""
    return str(unstopped()[key])


def drawer(name: str, held: MutableMapping[str, Any] | None = None) -> dict[Any, Any]:
    """Return where a module keeps what it has read, as long as the visit lasts.

    Args:
        name: Of the drawer.
        held: Where it is; without it, in the session.
    """
    place = widgets() if held is None else held
    # Each look into the session takes a while, and this is the most frequent one.
    try:
        drawers = place[_DRAWERS]
    except KeyError:
        drawers = place[_DRAWERS] = {}
    found: dict[Any, Any] = drawers.setdefault(name, {})
    return found


def unstopped() -> MutableMapping[str, Any]:
    """Return a copy of what the session holds, for a callback.

    Streamlit stops a run at the next look at one of its session's values when another request has
    come, also a callback, whose news would be lost: the browser does not send them again. A look at
    all of them stops nothing.
    """
    return st.session_state.to_dict()


def take_file(key: str) -> None:
    """Keep name and content of the file that was just chosen; nothing where it was taken away."""
    file = st.session_state[key]
    drawer(key)["file"] = None if file is None else (file.name, file.getvalue())


def rows_of(table: Mapping[str, Mapping[str, list[int]]]) -> list[int]:
    """Return the rows that are ticked, of what is held for a table."""
    return sorted(table["selection"]["rows"])


def picked_points(key: str, parameter: str) -> list[dict[str, Any]]:
    """Return what was clicked in a chart under one of its parameters, inside its callback."""
    return list(unstopped()[key].selection[parameter])
