"""Long computations: they tell how far they are, can be stopped, and end when nobody waits.

They run in the script's own thread. Between two pieces of the work (`core.pieces`) they end where
the visitor has left or has asked for something else, and nothing is kept of what is not whole.
"""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.scriptrunner_utils.script_run_context import (
    ScriptRunContext,
    get_script_run_ctx,
)

from core import pieces
from core.kept import Kept
from pages.frame import places, session
from pages.frame.language import _, percent_of_100
from pages.frame.places import Place, StoppedError

TOLD_AFTER, TOLD_EVERY = 0.5, 0.25
"""Seconds: what is done sooner tells nothing, and an answer that is drawn often is late."""
Value = TypeVar("Value")
_DRAWER, _STOPPED = "computing", "stopped"


def of(kept: Kept[Value], key: Hashable, make: Callable[[], Value]) -> Value:
    """Return the value of a key, as `kept` does; where it is new, this may take long.

    Raises:
        StoppedError: The visitor stopped it before, and has not asked for it again.
    """
    here = places.here()
    if here is None or key in kept or pieces.is_watched():
        return kept.of(key, make)
    if key in _stopped():
        raise StoppedError(partial(_offer, key=key))
    with pieces.watched(_Telling(here, key).look):
        return kept.of(key, make)


def _stopped() -> set[Hashable]:
    found: set[Hashable] = session.drawer(_DRAWER).setdefault(_STOPPED, set())
    return found


@dataclass(slots=True)
class _Telling:
    """What happens between two pieces."""

    place: Place
    key: Hashable
    context: ScriptRunContext | None = field(
        default_factory=lambda: get_script_run_ctx(suppress_warning=True)
    )
    next: float = field(default_factory=lambda: time.monotonic() + TOLD_AFTER)
    late: bool = False

    def look(self, share: float) -> None:
        """End the run where that is asked for; say how far it is."""
        if self.context is None:
            return
        self.context.yield_check()
        now = time.monotonic()
        if now >= self.next:
            self.late, self.next = True, now + TOLD_EVERY
            _tell(self.place, self.key, share)
        if self.late and _waits(self.context):
            st.rerun()


def _waits(context: ScriptRunContext) -> bool:
    """Say whether the visitor has asked for a part of the page.

    Streamlit goes on until what it draws is whole. The whole page takes its place then, for what
    is being drawn would be left in the middle.
    """
    requests = context.script_requests
    if requests is None or requests._state != ScriptRequestType.RERUN:
        return False
    return not requests._rerun_data.is_auto_rerun


def _tell(here: Place, key: Hashable, share: float) -> None:
    session.drawer(_DRAWER)[here.part] = key
    done = _("Computing: {share} done").format(share=percent_of_100(100 * share, 0))
    if here.told is None:
        with here.slot.container(horizontal=True, vertical_alignment="center"):
            here.told = st.empty()
            name = _key("stop", here)
            st.button(
                _("Stop"), key=name, icon=":material/stop:", on_click=_stop, args=(here.part,)
            )
    here.told.progress(share, done if share else _("Computing…"))


def _offer(here: Place, key: Hashable) -> None:
    """Offer what was stopped."""
    with here.slot.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("You stopped this computation."), width="content")
        name = _key("again", here)
        st.button(
            _("Compute it"), key=name, icon=":material/play_arrow:", on_click=_again, args=(key,)
        )


def _key(name: str, here: Place) -> str:
    return f"{name}_computing_{here.part}"


def _stop(part: str) -> None:
    drawer = session.drawer(_DRAWER, session.unstopped())
    drawer.setdefault(_STOPPED, set()).add(drawer.get(part))


def _again(key: Hashable) -> None:
    session.drawer(_DRAWER, session.unstopped()).get(_STOPPED, set()).discard(key)
