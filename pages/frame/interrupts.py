"""What ends a computation: a click, or the visitor's leaving. Also where others take their turn.

No model knows of it: where a run is loaded for the app, each of its layers gets a hook.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import streamlit as st

from core.runs.run import Run
from pages.frame import service
from pages.frame.streamlit_internals import current_run, has_waiting_click

LONG = 0.5
"""Seconds after which a computation also ends for a click in a part of the page."""
_may_end: ContextVar[bool] = ContextVar("may_end", default=False)
_since: ContextVar[float | None] = ContextVar("since", default=None)
"""When the computation under way began; None where it must come to its end."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Let clicks end what is computed inside; outside, as in callbacks, it comes to its end."""
    token = _may_end.set(True)
    try:
        yield
    finally:
        _may_end.reset(token)


@contextmanager
def started() -> Iterator[bool]:
    """Begin a computation, and hand out whether clicks may end it; not one inside of another."""
    if not _may_end.get() or _since.get() is not None:
        yield False
        return
    token = _since.set(time.monotonic())
    try:
        yield True
    finally:
        _since.reset(token)


def add_hooks(run: Run) -> Run:
    """Check for clicks before each layer of a model, forwards and backwards."""

    def before(_layer: object, inputs: tuple[Any, ...]) -> None:
        check()
        if inputs and inputs[0].requires_grad:
            inputs[0].register_hook(lambda _gradient: check())

    for module in run.model.layer_modules():
        module.register_forward_pre_hook(before)
    return run


def check() -> None:
    """Let others have their turn, and end the script where its visitor left or asks for more."""
    service.current().give_way()
    since, context = _since.get(), current_run()
    if since is None or context is None:
        return
    context.yield_check()
    if time.monotonic() - since >= LONG and has_waiting_click(context):
        st.rerun()
