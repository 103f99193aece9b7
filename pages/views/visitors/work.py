"""Who trains or measures what in a class, and who waits in line; each can be stopped."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core.config import ConfigError
from core.jobs import JobError
from core.runs.run import RunError
from core.studies.effects.measuring import MEASURING
from core.training import line, process
from pages.frame import address, cached, limits, links, session
from pages.frame.language import _, n_, number, plain
from pages.frame.messages import explained

EVERY = 2.0
"""Seconds between looks."""
_REFUSED = "visitors_refused"


def show() -> None:
    """Show what is under way, and go on looking."""
    address.part("work", _show, every=EVERY)


def _show() -> None:
    at_work, waiting = limits.under_way()
    text = n_(
        "{n} training or measurement under way, {waiting} in line",
        "{n} trainings or measurements under way, {waiting} in line",
        len(at_work),
    )
    st.markdown(f"**{text.format(n=number(len(at_work)), waiting=number(len(waiting)))}**")
    if refused := session.drawer(_REFUSED).pop("why", ""):
        st.error(plain(_("That could not be done: {reason}").format(reason=refused)))
    for path in at_work:
        _row(path, _doing(path), _("Stop"), _stop)
    for place, path in enumerate(waiting, start=1):
        said = _("waits, place {n}").format(n=number(place))
        _row(path, said, _("Take out of the line"), line.leave)


def _row(path: Path, said: str, label: str, end: Callable[[Path], None]) -> None:
    name = cached.name_of(path)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{plain(name)} · {plain(said)}", width="content")
        opened = {"training": "watch", session.MODEL: name}
        links.link("training", _("Watch"), ":material/model_training:", opened)
        st.button(label, key=f"end {name}", type="tertiary", on_click=_try, args=(end, path))


def _doing(path: Path) -> str:
    """Say what a process does with a run, and how far it is."""
    try:
        found = cached.situation(path)
    except RunError as error:
        return explained(error)
    if not found.alive:
        return _("its heads are measured")
    return _("step {step} of {steps}").format(step=number(found.step), steps=number(found.steps))


def _stop(path: Path) -> None:
    if cached.situation(path).alive:
        process.stop(path)
    else:
        MEASURING.ask(path, "stop")


def _try(end: Callable[[Path], None], path: Path) -> None:
    """Do it, and keep why it could not be done."""
    try:
        end(path)
    except (ConfigError, JobError, OSError, RunError) as error:
        session.drawer(_REFUSED, session.unstopped())["why"] = explained(error)
