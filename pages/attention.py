"""Type a sentence, read its translation, and see where every head of the model looks."""

from collections.abc import Callable

import streamlit as st

from pages.explorer import maps, taking
from pages.explorer.looked import Looked, look
from pages.explorer.taking import Taking
from pages.shared import controls, notes, opening, session
from pages.shared.text import _


def render() -> None:
    """Ask what to look at and how, and show it."""
    opened = opening.model_and_sentence()
    if opened is None:
        return
    view = controls.choice(_("View"), session.VIEW, list(VIEWS), "maps", labelled=False)
    looked = look(opened)
    if found := notes.warnings(opened.run, looked.inspection, looked.site, looked.head):
        st.caption(" ".join(found))
    taken = VIEWS[view](looked)
    if taken is not None:
        taking.offer(taken)


VIEWS: dict[str, Callable[[Looked], Taking | None]] = {
    "maps": maps.draw,
}
"""What the URL calls a view → what draws it; None where there was nothing to draw."""


if __name__ == "__main__":
    from app import main

    main()
