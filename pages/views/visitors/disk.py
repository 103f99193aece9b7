"""How much of the disk the runs of a class take, and the way to free it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from core.runs.management import delete_run
from core.runs.run import RunError
from core.training.limits import MEGABYTE, bytes_in
from pages.classroom import settings
from pages.classroom.visitors import names
from pages.frame import address, cached, session, tables
from pages.frame.language import _, n_, number, plain
from pages.frame.listed import labelled, listed, listed_apart
from pages.frame.messages import explained
from viz.charts.frames import runs_table, written

TICKED = "visitors_runs"
"""In the URL: which runs are ticked."""
DELETE = "visitors_delete"
ROWS_SHOWN = 12
_ROW = 35
_NOTE = "visitors_note"


@dataclass(frozen=True, slots=True)
class Taken:
    """What one run takes."""

    name: str
    path: Path
    visitor: str
    """Empty for the teacher."""
    n_bytes: int


def taken() -> list[Taken]:
    """Return what all runs take but the gallery's, the largest first."""
    found = [
        Taken(name, path, "" if path.parent == cached.OWN else path.parent.name, bytes_in(path))
        for name, path in cached.run_paths().items()
        if path.parent != cached.GALLERY
    ]
    return sorted(found, key=lambda run: (-run.n_bytes, run.name))


def show() -> None:
    """Show who takes how much, and all runs with a way to delete those that are ticked."""
    runs = taken()
    _say_shares(runs)
    if note := session.drawer(_NOTE).pop("note", ""):
        st.markdown(f":small[:primary[{plain(note)}]]")
    if not runs:
        return
    ticked = set(address.texts_of(TICKED) or ())
    address.show(TICKED, tuple(ticked) or None)
    tables.show(
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


def _say_shares(runs: Sequence[Taken]) -> None:
    """Say how much is taken by all together, and by whom most."""
    classroom = settings.opened()
    if classroom is None:
        return
    visitors = names(cached.OWN)
    text = n_(
        "{n} visitor. All runs take {size} MB; one visitor may have {most} MB.",
        "{n} visitors. All runs take {size} MB; one visitor may have {most} MB.",
        len(visitors),
    )
    said = text.format(
        n=number(len(visitors)),
        size=_megabytes(runs),
        most=number(classroom.limits.disk_megabytes),
    )
    st.markdown(f"**{said}**")
    of = {name: [run for run in runs if run.visitor == name] for name in visitors}
    most = sorted(visitors, key=lambda name: -sum(run.n_bytes for run in of[name]))
    parts = [f"{plain(name)} {_megabytes(of[name])} MB" for name in most if of[name]]
    if parts:
        st.caption(" · ".join(parts))


def _offer_deletion(runs: Sequence[Taken]) -> None:
    """Offer to delete runs, once it is said which."""
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


def _take(ticked: Sequence[str]) -> None:
    address.choose({TICKED: list(ticked) or None})


def _delete(runs: Sequence[Taken]) -> None:
    refused = []
    for run in runs:
        try:
            delete_run(run.path)
        except (RunError, OSError) as error:
            refused.append(labelled(run.name, explained(error)))
    address.choose({TICKED: None})
    if refused:
        text = _("Not deleted: {why}").format(why=listed_apart(refused))
        session.drawer(_NOTE, session.unstopped())["note"] = text
