"""Room for the picture: less empty space than Streamlit leaves, and paper without navigation."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from pages.frame import components, glossary, session, typography

LESSON_TEXT = "lesson_text"
"""Key of the element that says what a view shows: as high for one line as for two."""
CLAIM = "claim"
"""Key of the element that says what an experiment tests: a verdict says nothing without it."""
TRAINING_STATE = "training_state"
"""Key of the row that says how a training stands: as high without buttons as with them."""

SEEN = "seen"
"""Key of the line above a picture that says what it shows."""
TOUR = "tour"
"""Key of the box in which a tour says what to look at."""
TOUR_AT = "tour_at"
"""… and in it which stop it is,"""
TOUR_TEXT, TOUR_ONWARD = "tour_text", "tour_onward"
"""… what is to be read before the question, and the buttons."""
VIEWS = "views"
"""Key of the row that asks for a view."""
CONTROLS = "controls"
"""Keys of the row that asks for a head, and of what it says of the sentence's size."""
INTRODUCTION = "introduction"
"""Key of what the first page says of the app."""
HERE = "here"
"""Key of the mark that leads from a view to the whole pass."""
OPENING = "opening"
"""Key of the row that asks for model and sentence."""
SENTENCE_SAID = "sentence_said"
"""Key of the sentence where it is only said, in presentation mode."""
FORECAST = "forecast"
"""Key of the charts of a training that has not begun: they are not seen in presentation mode."""
DONE_SAID = "done_said"
"""Key of what a silenced head does, below the sentence that it changes; nor is this."""
SIZES_SAID = "sizes_said"
"""Key of the settings of a training, where they are said in small letters."""
TAKEN = "taken"
"""Key of what stands below a view: files, link and explanations."""

STEPS = "steps"
"""Not the key of an element: the buttons that go from step to step, in a component."""
NUMBER_WIDTH = 92
"""Pixels of a box for a small number; what is asked stands beside such a box (`layout.css`)."""

_AROUND = (
    "header.stAppHeader",
    *(f".st-key-{key}" for key in (INTRODUCTION, "start_tour", VIEWS, HERE, CONTROLS)),
    *(f".st-key-{key}" for key in (TAKEN, "explained")),
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
    st.html(typography.STYLE)
    with st.container(key="scripts"):
        st.html(_NAVIGATION, unsafe_allow_javascript=True)
        st.html(_PRESENTATION, unsafe_allow_javascript=True)
        glossary.lend()
        components.lend_scripts()


def leave_out() -> None:
    """Hide what a link leaves out: `?only=picture`, or with its box `?only=sentence`."""
    hidden = {"picture": (*_AROUND, f".st-key-{OPENING}"), "sentence": _AROUND}
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
