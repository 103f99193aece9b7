"""A job on all heads of a run: the button that starts it, and its progress."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core.jobs.job import Job, Status
from core.runs.run import Run
from pages.frame import cached, refusals, service, session
from pages.frame.language import _, joined, n_, percent, plain
from pages.frame.messages import explained

SECONDS = 1.0
"""Between two looks at how far it is."""


def offer(
    run: Run, job: Job, start: Callable[[], None], *, key: str, label: str, enough: bool
) -> None:
    """Show how far a job is, or the button that starts it.

    Args:
        run: On whose heads it works.
        job: The work.
        start: Starts it.
        key: Of the button.
        label: What stands on the button.
        enough: Whether all is measured.
    """
    found = job.status(run.path)
    if found.alive:
        session.fragment(key, SECONDS)(_progress)(job, run.path)
        return
    if enough:
        return
    if not cached.may_write(run.path):
        st.caption(_("Only the teacher measures runs of the gallery."))
        return
    if reason := refusals.reason((key, run.path)):
        st.error(plain(reason))
    elif said := _ended(found):
        st.warning(plain(said))
    st.button(
        label,
        key=key,
        icon=":material/play_arrow:",
        on_click=refusals.attempt,
        args=((key, run.path), _measure, start),
        help=_("Silences one head after the other, in the background. The result stays."),
    )


def _progress(job: Job, path: Path) -> None:
    found = job.status(path)
    if not found.alive:
        # What it found changes the whole page.
        st.rerun()
    share = found.done / found.of if found.of else 0.0
    said = _("{share} of the work is done …").format(share=percent(share))
    st.progress(share, said if found.of else _("Starting …"))


def _ended(found: Status) -> str:
    """Say how the work ended without a result, or nothing."""
    match found.state:
        case "failed":
            return _("Measuring failed: {reason}").format(reason=explained(found.message))
        case "interrupted":
            said = n_(
                "Measuring was interrupted after {n} step.",
                "Measuring was interrupted after {n} steps.",
                found.done,
            )
            return joined([said, explained(found.message)])
        case _:
            return ""


def _measure(start: Callable[[], None]) -> None:
    with service.current().measuring():
        start()
