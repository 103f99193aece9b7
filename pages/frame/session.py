"""What a visitor is looking at: the only module that touches `st.session_state`.

The widgets of `controls` are bound to the URL under these keys, so that a link, a reload or the
way back shows the same view.
"""

from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.errors import StreamlitAPIException

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
METHOD, BEAM, ALPHA = "method", "beam", "alpha"
TEMPERATURE, TOP_K, TOP_P, SEED = "temperature", "top_k", "top_p", "seed"
_DRAWERS = "_drawers"
_NEXT, _ON_PAGE = "_next", "_on_page"
_SHOWN, _ENTERED, _PAGE, _OWNERS = "_shown", "_entered", "_page", "_owners"


def choose(values: Mapping[str, object]) -> None:
    """Set widgets; only to be called from callbacks, before the page runs again."""
    for key, value in values.items():
        st.session_state[key] = value


def choose_above(values: Mapping[str, object]) -> None:
    """Set widgets outside of the fragment whose callback this is: the whole page runs again."""
    choose(values)
    st.rerun()


def chosen(key: str) -> str:
    """Return what a widget holds, inside its callback."""
    return str(st.session_state[key])


def enter(page: str) -> None:
    """Note which page is drawn, so that `recall` knows when it is another one than before."""
    st.session_state[_ENTERED] = st.session_state.get(_PAGE, page) != page
    st.session_state[_PAGE] = page
    st.session_state[_ON_PAGE] = {}


def entered_is_over() -> None:
    """Note that the page is drawn: what runs again of it alone has not been entered anew."""
    st.session_state[_ENTERED] = False


def page_so_far() -> dict[str, object]:
    """Return what the page has shown up to now, for `page_again`."""
    return dict(st.session_state.get(_ON_PAGE, {}))


def page_again(so_far: Mapping[str, object]) -> None:
    """Forget what was shown below a place of the page: it is drawn again from there."""
    st.session_state[_ON_PAGE] = dict(so_far)


def recall(key: str, options: Container[object] | None = None) -> None:
    """Give a widget the value that it had on the page before; to be called before it is drawn.

    Streamlit carries what a visitor entered from page to page, but not what came with a link.

    Args:
        key: The widget's.
        options: What the widget offers; None where it takes anything.
    """
    shown = st.session_state.get(_SHOWN, {})
    wanted = st.session_state.get(_ENTERED) and key in shown and key not in st.query_params
    if wanted and (options is None or shown[key] in options):
        st.session_state[key] = shown[key]


def renew(key: str, default: object, of: str, giving_way: Container[object] | None = None) -> None:
    """Put a new default into a widget that still holds what belongs to another thing.

    Args:
        key: The widget's.
        default: The new one.
        of: What the default belongs to, a run for example.
        giving_way: Only these make room for it; None for whatever the widget holds.
    """
    owner = st.session_state.setdefault(_OWNERS, {})
    recall(key)
    found = st.session_state.get(key)
    if owner.get(key, of) != of and (giving_way is None or found in giving_way):
        st.session_state[key] = default
        remember(key, default)
    owner[key] = of


def fit(key: str, options: Container[object], default: object) -> None:
    """Put a default into a widget that holds what is no longer offered."""
    if key in st.session_state and st.session_state[key] not in options:
        st.session_state[key] = default


def held(key: str, default: object) -> object:
    """Return what a widget holds now, also where only a part of the page runs again."""
    return st.session_state.get(key, default)


def drawer(name: str) -> dict[Any, Any]:
    """Return where a module keeps what it has read, as long as the visit lasts."""
    drawers: dict[str, dict[Any, Any]] = st.session_state.setdefault(_DRAWERS, {})
    return drawers.setdefault(name, {})


def read_name(key: str, options: Container[object]) -> None:
    """Take over an option that a link calls by its own name, not as the widget shows it."""
    if key not in st.session_state and st.query_params.get(key) in options:
        st.session_state[key] = st.query_params[key]


def remember(key: str, value: object) -> None:
    """Keep what a widget shows, for the same widget on another page, and for a link."""
    st.session_state.setdefault(_SHOWN, {})[key] = value
    st.session_state.setdefault(_ON_PAGE, {})[key] = value


def entered(key: str) -> object:
    """Return what a widget is about to show, or None where it shows its default."""
    return st.session_state.get(key, st.query_params.get(key))


def settle(key: str, options: Container[object], default: object) -> None:
    """Give a widget, before it is drawn, one of its options, and have the URL name it.

    Streamlit leaves a widget's default out of the URL; this is for widgets without one.
    """
    if entered(key) not in options:
        st.session_state[key] = default
    if key not in st.query_params:
        found = st.session_state[key] = entered(key)
        # Once the widget was drawn, Streamlit writes the URL, and lets nobody else do so.
        with suppress(StreamlitAPIException):
            st.query_params[key] = str(found)


def go_on_with(values: Mapping[str, object]) -> None:
    """Set widgets when the page runs the next time: those of this time are drawn already."""
    st.session_state[_NEXT] = dict(values)


def arrive() -> None:
    """Set the widgets that `go_on_with` named; to be called before any is drawn."""
    choose(st.session_state.pop(_NEXT, {}))


def take_file(key: str) -> None:
    """Keep name and content of the file that was just chosen; nothing where it was taken away."""
    file = st.session_state[key]
    drawer(key)["file"] = None if file is None else (file.name, file.getvalue())


def wanted_by_link(key: str) -> str | None:
    """Return what the URL asks for under a key, whether there is such a thing or not."""
    return st.query_params.get(key)


def linked(key: str) -> str | None:
    """Return what the URL holds for a thing that has no widget, as on the page before."""
    if st.session_state.get(_ENTERED) and key not in st.query_params:
        link(key, st.session_state.get(_SHOWN, {}).get(key))
    value = st.query_params.get(key)
    # What came with a link is to be found again after a visit to another page, too.
    remember(key, value)
    return value


def link(key: str, value: str | None) -> None:
    """Have the URL hold something that has no widget; None takes it out."""
    link_all({key: value})


def link_all(values: Mapping[str, str | None]) -> None:
    """Have the URL hold several things at once: each change of it takes the browser a while."""
    for key, value in values.items():
        remember(key, value)
        if value is None:
            st.query_params.pop(key, None)
    held = st.query_params.to_dict()
    changed = {key: value for key, value in values.items() if value not in (None, held.get(key))}
    if changed:
        st.query_params.update(changed)


def address() -> str:
    """Return the address that opens exactly what is shown, whatever the defaults may be then."""
    shown = st.session_state.get(_ON_PAGE, {})
    named = {key: str(value) for key, value in shown.items() if value is not None}
    query = urlencode(sorted((named | st.query_params.to_dict()).items()))
    return urlunsplit(urlsplit(str(st.context.url or ""))._replace(query=query))


def chosen_runs() -> list[str]:
    """Return the names of runs that the URL holds, whether there are such runs or not."""
    if st.session_state.get(_ENTERED) and RUNS not in st.query_params:
        choose_runs(st.session_state.get(_SHOWN, {}).get(RUNS, []))
    return st.query_params.get_all(RUNS)


def choose_runs(names: Sequence[str]) -> None:
    """Put the names of runs into the URL; the table of runs follows."""
    remember(RUNS, list(names))
    if names:
        st.query_params[RUNS] = list(names)
    else:
        st.query_params.pop(RUNS, None)


def tick_runs(names: Sequence[str]) -> None:
    """Tick the rows whose runs the URL holds; to be called before the table is drawn.

    Args:
        names: Of the runs, row by row.
    """
    chosen = chosen_runs()
    rows = [row for row, name in enumerate(names) if name in chosen]
    table = st.session_state.get(RUNS_TABLE)
    # Only where it differs: what is set goes to the browser, over whatever is ticked meanwhile.
    if rows != (sorted(table["selection"]["rows"]) if table else []):
        st.session_state[RUNS_TABLE] = {"selection": {"rows": rows, "columns": [], "cells": []}}


def take_ticks(names: Sequence[str]) -> None:
    """Take over the rows that were ticked in the table of runs."""
    rows = st.session_state[RUNS_TABLE]["selection"]["rows"]
    choose_runs([names[row] for row in sorted(rows) if row < len(names)])


def clicked_points(key: str) -> list[int]:
    """Return the `customdata` of the points that were clicked in a chart, inside its callback."""
    points = st.session_state[key].selection.points
    return [point["customdata"] for point in points if "customdata" in point]
