"""A page with one component on the case that the address asks for, which says what it has heard.

What it hears it answers: a head that was picked is selected, a token that was pinned stays pinned.
"""

from dataclasses import replace

import streamlit as st

from pages.frame import components
from tests.browser.apps import (
    decoding_cases,
    lines_cases,
    maps_cases,
    matrices_cases,
    strips_cases,
    whole_cases,
)

MODULES = {
    "maps": (maps_cases, components.attention_maps, ("pick", "zoom")),
    "matrices": (matrices_cases, components.show, ("pick",)),
    "lines": (lines_cases, components.show, ("pin", "threshold", "heads")),
    "strips": (strips_cases, components.show, ("pin", "strip")),
    "decoding": (decoding_cases, components.show, ("step", "force")),
    "whole": (whole_cases, components.show, ("step", "pick")),
}
asked, state = st.query_params, st.session_state
module, component, events = MODULES[asked["app"]]
case = asked.get("case", "known")
if "choose" in asked:
    names = list(module.CASES)
    case = st.radio("case", names, index=names.index(case), horizontal=True)
heard = state.setdefault("heard", [])
if st.button("forget"):
    heard.clear()


def take(event):
    value = state["shown"][event]
    heard.append((event, dict(value) if hasattr(value, "keys") else value))
    if event == "zoom":
        asked["zoom"] = ",".join(map(str, value.values())) if value else "all"


def answered(shown):
    """Return what is shown after all that was heard."""
    last = dict(heard)
    pick, pin = last.get("pick"), last.get("pin")
    match asked["app"]:
        case "maps":
            zoom = asked.get("zoom", "all")
            part = None if zoom == "all" else tuple(map(int, zoom.split(",")))
            chosen = (pick["layer"], pick["head"]) if pick else shown.selected
            return replace(shown, selected=chosen, zoom=part)
        case "matrices":
            return replace(shown, selected=tuple(pick.values())) if pick else shown
        case "lines":
            kept = {"pinned": tuple(pin.values()) if pin and pin["side"] else None}
            kept |= {"threshold": last.get("threshold", shown.threshold)}
            return replace(shown, hidden=frozenset(last.get("heads", {}).get("hidden", ())), **kept)
        case "strips":
            return strips_cases.followed(**pin) if pin else shown
    return shown


quiet = asked.get("quiet", "").split(",")
callbacks = {f"on_{each}": (lambda each=each: take(each)) for each in events if each not in quiet}
component(answered(st.cache_data(module.CASES[case])()), key="shown", **callbacks)
state["runs"] = state.get("runs", 0) + 1
st.text(f"runs: {state['runs']}")
st.text(f"heard: {heard}")
