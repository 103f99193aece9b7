"""The teacher's page in a class: who trains what, and who takes how much of the disk."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from classroom.limits import MEGABYTE, Limits, bytes_in
from core.config import ConfigError
from core.jobs.job import JobError
from core.runs.folder import TRAINING, delete_run
from core.runs.run import RunError
from core.studies.effects.measuring import MEASURING
from core.studies.effects.pruning import PRUNING
from core.training import process
from pages.frame import cached, controls, links, session
from pages.frame.language import _, labelled, listed, listed_apart, n_, number, plain
from pages.frame.messages import explained
from pages.frame.service import visitors
from viz.charts.frames import runs_table, written

UnderWay = Callable[[], tuple[list[Path], list[Path]]]

EVERY = 2.0
"""Seconds between looks at what is under way."""
TICKED = "visitors_runs"
"""In the URL: which runs are ticked."""
DELETE = "visitors_delete"
ROWS_SHOWN = 12
_ROW = 35
_NOTES = "visitors_notes"


@dataclass(frozen=True, slots=True)
class Taken:
    """What one run takes."""

    name: str
    path: Path
    visitor: str
    """Empty for the teacher."""
    n_bytes: int


def render(limits: Limits, under_way: UnderWay) -> None:
    """Show what is under way, and what is kept with a way to delete it."""
    session.fragment("work", EVERY)(_show_work)(under_way)
    runs = taken()
    _say_shares(runs, limits)
    if note := session.storage(_NOTES).pop("deleting", ""):
        st.markdown(f":small[:primary[{plain(note)}]]")
    if runs:
        _show_runs(runs)


def taken() -> list[Taken]:
    """Return what all runs take but the gallery's, the largest first."""
    found = [
        Taken(name, path, "" if path.parent == cached.OWN else path.parent.name, bytes_in(path))
        for name, path in cached.run_paths().items()
        if path.parent != cached.GALLERY
    ]
    return sorted(found, key=lambda run: (-run.n_bytes, run.name))


def _show_work(under_way: UnderWay) -> None:
    at_work, waiting = under_way()
    text = n_(
        "{n} training or measurement under way, {waiting} in line",
        "{n} trainings or measurements under way, {waiting} in line",
        len(at_work),
    )
    st.markdown(f"**{text.format(n=number(len(at_work)), waiting=number(len(waiting)))}**")
    if refused := session.storage(_NOTES).pop("ending", ""):
        st.error(plain(_("That could not be done: {reason}").format(reason=refused)))
    for path in at_work:
        _show_job(path, _doing(path), _("Stop"), _stop)
    for place, path in enumerate(waiting, start=1):
        status = _("waits, place {n}").format(n=number(place))
        _show_job(path, status, _("Take out of the line"), process.dequeue)


def _show_job(path: Path, status: str, label: str, end: Callable[[Path], None]) -> None:
    name = cached.name_of(path)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{plain(name)} · {plain(status)}", width="content")
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
    for job in (TRAINING, MEASURING, PRUNING):
        if job.at_work(path):
            job.ask(path, "stop")


def _try(end: Callable[[Path], None], path: Path) -> None:
    """Do it, and keep why it could not be done."""
    try:
        end(path)
    except (ConfigError, JobError, OSError, RunError) as error:
        session.storage(_NOTES, in_callback=True)["ending"] = explained(error)


def _say_shares(runs: Sequence[Taken], limits: Limits) -> None:
    """Say how much is taken by all together, and by whom most."""
    names = visitors(cached.OWN)
    text = n_(
        "{n} visitor. All runs take {size} MB; one visitor may have {most} MB.",
        "{n} visitors. All runs take {size} MB; one visitor may have {most} MB.",
        len(names),
    )
    status = text.format(
        n=number(len(names)), size=_megabytes(runs), most=number(limits.disk_megabytes)
    )
    st.markdown(f"**{status}**")
    of = {name: [run for run in runs if run.visitor == name] for name in names}
    most = sorted(names, key=lambda name: -sum(run.n_bytes for run in of[name]))
    parts = [f"{plain(name)} {_megabytes(of[name])} MB" for name in most if of[name]]
    if parts:
        st.caption(" · ".join(parts))


def _show_runs(runs: Sequence[Taken]) -> None:
    ticked = set(session.texts_of(TICKED) or ())
    session.show(TICKED, tuple(ticked) or None)
    controls.table(
        "visitors_table",
        written(runs_table([_row(run) for run in runs]), {_("MB"): partial(number, digits=1)}),
        [run.name for run in runs],
        ticked,
        _take,
        selection_mode="multi-row",
        row_height=_ROW,
        height=_ROW * (1 + min(len(runs), ROWS_SHOWN)) + 2,
        alt=_("All runs of the class, and what they take"),
    )
    _offer_deletion([run for run in runs if run.name in ticked])


def _row(run: Taken) -> dict[str, object]:
    whose = run.visitor or _("teacher")
    return {_("run"): run.name, _("visitor"): whose, _("MB"): run.n_bytes / MEGABYTE}


def _take(ticked: Sequence[str]) -> None:
    session.choose({TICKED: list(ticked) or None})


def _offer_deletion(runs: Sequence[Taken]) -> None:
    """Offer to delete the ticked runs."""
    label = n_("Delete {n} run: {size} MB", "Delete {n} runs: {size} MB", len(runs)).format(
        n=number(len(runs)), size=_megabytes(runs)
    )
    with st.popover(label, icon=":material/delete:", disabled=not runs):
        if not runs:
            return
        names = listed(plain(run.name) for run in runs)
        st.markdown(_("These are then gone for good: {names}.").format(names=names))
        st.button(_("Delete them"), key=DELETE, type="primary", on_click=_delete, args=(runs,))


def _megabytes(runs: Sequence[Taken]) -> str:
    return number(sum(run.n_bytes for run in runs) / MEGABYTE, 1)


def _delete(runs: Sequence[Taken]) -> None:
    refused = []
    for run in runs:
        try:
            delete_run(run.path)
        except (RunError, OSError) as error:
            refused.append(labelled(run.name, explained(error)))
    session.choose({TICKED: None})
    if refused:
        text = _("Not deleted: {why}").format(why=listed_apart(refused))
        session.storage(_NOTES, in_callback=True)["deleting"] = text
