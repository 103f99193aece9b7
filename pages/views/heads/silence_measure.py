"""Measuring what every head costs on held-out sentences, while the page stays usable."""

from pathlib import Path

import streamlit as st

from core.analysis.effects import measuring
from core.analysis.effects.head_effects import N_SENTENCES, HeadEffects
from core.jobs import Status
from core.runs.run import RunError
from pages.frame import session
from pages.frame.text import _, plain

START = "silence_measure"
"""Key of the button."""
SECONDS = 1.0
_REFUSED = "silence_refused"


def draw(path: Path, effects: HeadEffects | None) -> None:
    """Offer to measure where nothing is measured, or on few sentences; show how far it is.

    Args:
        path: The run's folder.
        effects: What is stored; None where nothing is.
    """
    found = measuring.MEASURING.status(path)
    if found.alive:
        st.fragment(_progress, run_every=SECONDS)(path)
        return
    if effects is not None and (effects.n >= N_SENTENCES or effects.all_there_are):
        return
    if reason := session.drawer(_REFUSED).get(path):
        st.error(plain(_("That could not be done: {reason}").format(reason=reason)))
    elif said := _ended(found):
        st.warning(plain(said))
    st.button(
        _("Measure all heads on {n} held-out sentences").format(n=N_SENTENCES)
        if found.state == "idle" and effects is None
        else _("Measure again on {n} held-out sentences").format(n=N_SENTENCES),
        key=START,
        icon=":material/play_arrow:",
        on_click=_start,
        args=(path,),
        help=_("Silences one head after the other, in the background. The result stays."),
    )


def _progress(path: Path) -> None:
    found = measuring.MEASURING.status(path)
    if not found.alive:
        # What came of it changes the whole page.
        st.rerun()
    said = _("{done} of {of} heads measured …").format(done=found.done, of=found.of)
    st.progress(found.done / found.of if found.of else 0.0, said if found.of else _("Starting …"))


def _ended(found: Status) -> str:
    """Say how measuring ended without a result, or nothing."""
    match found.state:
        case "failed":
            return _("Measuring failed: {reason}").format(reason=found.message)
        case "interrupted":
            said = _("Measuring was interrupted after {done} heads.").format(done=found.done)
            return f"{said} {found.message}".strip()
        case _:
            return ""


def _start(path: Path) -> None:
    refused = session.drawer(_REFUSED)
    refused.pop(path, None)
    try:
        measuring.start(path)
    except (OSError, RunError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        refused[path] = reason
