"""What takes long is computed in the script's own thread, under a spinner."""

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

from pages.frame import interrupts
from pages.frame.bounded_cache import BoundedCache
from pages.frame.language import _

Value = TypeVar("Value")


def of(cache: BoundedCache[Value], key: Hashable, compute: Callable[[], Value]) -> Value:
    """Return the value of a key as `BoundedCache.of` does, with a spinner while it is computed."""
    if key in cache:
        return cache.of(key, compute)
    with interrupts.started() as may_end:
        if not may_end:
            return cache.of(key, compute, interrupts.check)
        with st.spinner(_("Computing…"), show_time=True):
            return cache.of(key, compute, interrupts.check)
