"""Room for the picture: less empty space than Streamlit leaves, and paper without navigation.

What `layout.css` knows by a key, `.st-key-…`, is a container that the page draws under it.
"""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from pages.frame import components, glossary, session

TOUR = "tour"
"""Key of the box in which a tour says what to look at."""
TOUR_AT = "tour_at"
"""… and in it which stop it is,"""
TOUR_TEXT, TOUR_ONWARD = "tour_text", "tour_onward"
"""… what is to be read before the question, and the buttons."""
STEPS = "steps"
"""Not the key of an element: the buttons that go from step to step, in a component."""
NUMBER_WIDTH = 92
"""Pixels of a box for a small number; what is asked stands beside such a box (`layout.css`)."""

_AROUND = (
    "header.stAppHeader",
    *(f".st-key-{key}" for key in ("introduction", "start_tour", "views", "here", "controls")),
    ".st-key-taken",
    ".stElementContainer:has(> .stPageLink)",
)
"""What stands around a picture, as selectors of CSS."""
_FILE = Path(__file__)
_STYLE = f"<style>{_FILE.with_suffix('.css').read_text('utf-8')}</style>"
_PRESENTATION = f"<script>{_FILE.with_name('presentation.js').read_text('utf-8')}</script>"
_NAVIGATION = f"<script>{_FILE.with_name('navigation.js').read_text('utf-8')}</script>"


def compact() -> None:
    """Apply to the page that is being drawn."""
    st.html(_STYLE)
    with st.container(key="scripts"):
        st.html(_NAVIGATION, unsafe_allow_javascript=True)
        st.html(_PRESENTATION, unsafe_allow_javascript=True)
        glossary.lend()
        components.lend_scripts()


def leave_out() -> None:
    """Hide what a link leaves out: `?only=picture`, or with its box `?only=sentence`."""
    hidden = {"picture": (*_AROUND, ".st-key-opening"), "sentence": _AROUND}
    if rules := hidden.get(session.linked("only") or ""):
        st.html(f"<style>{', '.join(rules)} {{ display: none !important; }}</style>")


def shown_too(keys: Sequence[str]) -> str:
    """Return a style that keeps elements, by their keys or `STEPS`, visible: a stop needs them."""
    rules = [":root[data-presenting] { --steps: flex; }"] if STEPS in keys else []
    for key in keys:
        element = f':is(.st-key-{key}, [class*="st-key-{key}--"])'
        rules += [
            f"[data-presenting] .st-key-opening:has({element}) {{ display: flex; }}",
            f"[data-presenting] .stElementContainer{element} {{ display: block !important; }}",
            f"[data-presenting] .stVerticalBlock{element} {{ display: flex; }}",
        ]
    return f"<style>{' '.join(rules)}</style>"
