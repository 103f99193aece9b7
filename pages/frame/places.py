"""Where each part of a page tells how far its computations are, or that one was stopped."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


@dataclass(slots=True)
class Place:
    """Where a part of the page tells how far it is."""

    part: str
    slot: DeltaGenerator
    """Empty while there is nothing to tell."""
    told: DeltaGenerator | None = None
    """The line in it; what stands beside it can be drawn but once."""


class StoppedError(Exception):
    """The visitor stopped what is asked for."""

    def __init__(self, offer: Callable[[Place], None]) -> None:
        """Keep what says so.

        Args:
            offer: Draws that it was stopped, and what begins it again.
        """
        self.offer = offer


_here: ContextVar[Place | None] = ContextVar("here", default=None)


def here() -> Place | None:
    """Return the place of the part that is drawn; None in callbacks, which must come to an end."""
    return _here.get()


@contextmanager
def place(part: str) -> Iterator[None]:
    """Draw a part of the page that may have to wait for what it shows.

    Args:
        part: What it is called; no other part of the page is called so.
    """
    # Always there: Streamlit knows what comes after by its place.
    its = Place(part, st.empty())
    token = _here.set(its)
    try:
        yield
        if its.told is not None:
            its.slot.empty()
    except StoppedError as stopped:
        stopped.offer(its)
    finally:
        _here.reset(token)
