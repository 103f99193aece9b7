"""What is folded below a picture: made only when somebody opens it.

What is closed costs nothing then: neither here nor in the browser, which draws it anew with every
answer, and formulas and code slowly.
"""

from collections.abc import Callable

import streamlit as st


def fold(title: str, name: str, draw: Callable[[], object], *, compact: bool = False) -> None:
    """Fold something below a title.

    Args:
        title: What is always seen. With another title it is another thing, and closed.
        name: A word for it, of which there is one on a page; what is open stays so under it.
        draw: Draws the rest, inside; called only while it is open.
        compact: Whether it takes a line of small letters.
    """
    place = st.expander(
        title, type="compact" if compact else "default", on_change="rerun", key=f"folded_{name}"
    )
    if place.open:
        with place:
            draw()
