"""Type a sentence, read its translation, and see where every head of the model looks."""

from collections.abc import Callable

import streamlit as st

from pages.frame import address, controls, export, notes, opening, session
from pages.frame.export import Taking
from pages.frame.selection import Selection, ask
from pages.frame.text import _
from pages.views.attention import compare, heads, lines, maps, sentence, steps, word


def render() -> None:
    """Ask what to look at and how, and show it."""
    opened = opening.model_and_sentence()
    if opened is None:
        return
    view = controls.choice(_("View"), session.VIEW, controls.words(VIEWS), "maps")
    if found := notes.about_sentence(opened.run, opened.inspection):
        st.caption(" ".join(found))
    looked = ask(opened, kind=view != "word", head=view not in OF_ALL_HEADS, unit=view != "steps")
    # A fragment: what is clicked in a view leaves the rest of the page alone.
    address.part("view", _draw, view, looked)


def _draw(view: str, looked: Selection) -> None:
    """Draw a view, and offer to take it away."""
    taken = VIEWS[view](looked)
    if taken is not None:
        export.offer(taken, looked)


VIEWS: dict[str, Callable[[Selection], Taking | None]] = {
    "maps": maps.draw,
    "lines": lines.draw,
    "word": word.draw,
    "sentence": sentence.draw,
    "compare": compare.draw,
    "steps": steps.draw,
    "heads": heads.draw,
}
"""What the URL calls a view → what draws it; None where there was nothing to draw."""
OF_ALL_HEADS = ("word", "sentence", "heads")
"""Views in which no head is chosen."""


if __name__ == "__main__":
    from app import main

    main()
