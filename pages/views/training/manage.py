"""What can be done with runs: take one in, give it away, rename it, delete it."""

import tempfile
from functools import partial
from pathlib import Path

import streamlit as st

from core.config import ConfigError
from core.runs.archive import archive_run, unpack_run
from core.runs.files import is_run
from core.runs.folder import delete_run, rename_run
from core.runs.run import RunError
from pages.frame import cached, links, service, session
from pages.frame.language import _, labelled, n_, number, plain
from pages.frame.messages import explained
from pages.views.training.progress import STATES
from pages.views.training.runs_table import Listed, reason

UPLOAD_MEGABYTES = 500


def upload() -> None:
    """Take in a run that was downloaded as an archive, here or elsewhere."""
    taken: list[str] = session.storage("runs").setdefault("uploads", [])
    most = service.current().upload_megabytes(UPLOAD_MEGABYTES)
    with st.popover(_("Add a run from an archive"), icon=":material/upload:", type="tertiary"):
        file = st.file_uploader(
            _("An archive of a run (.zip), as this page gives it"),
            type="zip",
            max_upload_size=most,
            # Another element for each file, so that it is empty again.
            key=f"upload_{len(taken)}",
        )
        st.caption(
            _("{n} MB at most. A larger run is added by unpacking it into the folder runs.").format(
                n=most
            )
        )
    if file is None or file.file_id in taken:
        return
    # Noted first: what ends this run of the page before its time must not take the file in twice.
    taken.append(file.file_id)
    try:
        with st.spinner(_("Unpacking and checking …")):
            path = unpack_run(file, cached.own(), limit=service.current().room())
    except (ConfigError, RunError, OSError) as error:
        leave(_("Nothing was added: {why}.").format(why=explained(error)))
    else:
        name = cached.name_of(path)
        session.choose({session.RUNS: [name]})
        leave(_("Added as {name}.").format(name=name))
    st.rerun()


def _download(run: Listed) -> None:
    """Offer a run as one archive."""
    if is_run(run.path):
        st.download_button(
            _("Download"),
            # Packed when it is asked for.
            data=partial(packed, run.path),
            file_name=f"{run.path.name}.zip",
            mime="application/zip",
            on_click="ignore",
            type="tertiary",
            icon=":material/download:",
            help=_("All of it as one archive, with what training needs to go on"),
        )


def packed(path: Path) -> bytes:
    """Return a run as an archive.

    Raises:
        RunError: The folder is no run any more.
    """
    # Packed on the disk: in memory it would grow by being copied, and Streamlit keeps a copy too.
    with tempfile.TemporaryDirectory() as folder:
        archive_run(path, Path(folder) / "run.zip")
        return (Path(folder) / "run.zip").read_bytes()


def offer(run: Listed) -> None:
    """Say how a run stands, and offer what can be done with it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(run.name)}**", width="content")
        st.caption(_state(run), width="stretch")
        _links(run)
        _download(run)
        _changes(run)


def _state(run: Listed) -> str:
    if run.situation is None:
        return _("damaged")
    if run.record is not None and run.record.settings.is_opened:
        settings = run.record.settings
        text = _("{family}, opened from {origin}")
        if settings.precision:
            text = _(
                "{family}, opened from {origin}; weights kept in {precision}, computed in float32"
            )
        return text.format(
            family=settings.family,
            origin=plain(settings.origin),
            precision=plain(settings.precision),
        )
    found = n_(
        "{state}, {step} of {steps} step", "{state}, {step} of {steps} steps", run.situation.steps
    ).format(
        state=_(STATES[run.situation.state]),
        step=number(run.situation.step),
        steps=number(run.situation.steps),
    )
    message = run.situation.message
    return labelled(found, plain(explained(message))) if message else found


def _links(run: Listed) -> None:
    """Lead to where the run's heads and its training can be looked at."""
    if not cached.complaint(run.path):
        links.link("attention", _("Heads"), ":material/grid_view:", {session.MODEL: run.name})
    if run.situation is not None and run.situation.state != "opened":
        over = run.situation.state == "finished"
        name, view = (_("Look back"), "look_back") if over else (_("Watch"), "watch")
        opened = {"training": view, session.MODEL: run.name}
        links.link("training", name, ":material/model_training:", opened)


def _changes(run: Listed) -> None:
    """Offer to rename and to delete a run, where it is the visitor's."""
    if not run.own:
        st.caption(_("Runs of the gallery come with the app and stay."), width="content")
        return
    if not is_run(run.path):
        st.caption(_("It has no run.json: whatever it is, it is left alone."), width="content")
        return
    busy = run.situation is not None and run.situation.alive
    why = _("It is being trained: pause or stop it first.") if busy else None
    if st.button(_("Rename"), type="tertiary", icon=":material/edit:", disabled=busy, help=why):
        st.dialog(_("Rename this run"))(_ask_name)(run)
    # A box of its own would leave the keyboard nowhere when it is closed.
    with st.popover(
        _("Delete"), type="tertiary", icon=":material/delete:", disabled=busy, help=why
    ):
        _ask_deletion(run)


def _ask_name(run: Listed) -> None:
    key = f"name {run.name}"
    st.text_input(_("New name of {run}").format(run=plain(run.name)), run.path.name, key=key)
    if st.button(_("Rename it"), type="primary", on_click=_rename, args=(run, key)):
        _close()


def _ask_deletion(run: Listed) -> None:
    name = plain(run.name)
    st.markdown(
        _("**{run}**, its weights, its curves and its figures are then gone for good.").format(
            run=name
        )
    )
    st.button(_("Delete {run}").format(run=name), type="primary", on_click=_delete, args=(run,))


def _rename(run: Listed, key: str) -> None:
    name = str(session.component_value(key))
    if name == run.path.name:
        return
    try:
        path = rename_run(run.path, name)
    except (RunError, OSError) as error:
        leave(_("It keeps its name: {why}.").format(why=reason(error, run.path)))
    else:
        session.choose({session.RUNS: [cached.name_of(path)]})


def _delete(run: Listed) -> None:
    try:
        delete_run(run.path)
    except (RunError, OSError) as error:
        leave(_("It was not deleted: {why}.").format(why=reason(error, run.path)))
    else:
        session.choose({session.RUNS: None})
        leave(_("{run} was deleted.").format(run=run.name))


def _close() -> None:
    """Close the dialog, unless there is something to say about what was asked for."""
    if note := take():
        st.error(plain(note))
    else:
        st.rerun()


def leave(text: str) -> None:
    """Leave words for the page as it is drawn next."""
    session.storage("runs")["note"] = text


def take() -> str:
    """Return the words that were left, once."""
    return str(session.storage("runs").pop("note", ""))
