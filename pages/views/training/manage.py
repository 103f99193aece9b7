"""What can be done with runs: take one in, give it away, rename it, delete it."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from core.config import ConfigError
from core.device import use_one_thread
from core.runs.archive import archive_run, unpack_run
from core.runs.checkpoint import newest_checkpoint
from core.runs.files import is_run
from core.runs.folder import delete_run, rename_run
from core.runs.run import RunError
from core.training.export import export_run
from pages.frame import cached, links, service, session
from pages.frame.language import _, labelled, n_, number, plain
from pages.frame.messages import explained
from pages.views.training.progress import STATES
from pages.views.training.runs_table import Listed, said

UPLOAD_MEGABYTES = 500
_UNPACKED = "unpacked"


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
    """Offer a run as one archive, and as a smaller one where there is something to leave out."""
    if not is_run(run.path):
        return
    _archive(
        run,
        _("Download"),
        packed,
        _("All of it as one archive, with what training needs to go on"),
    )
    weights = newest_checkpoint(run.path)
    idle = run.situation is not None and not run.situation.alive
    if idle and weights and weights.with_suffix(".state.safetensors").exists():
        _archive(
            run,
            _("Small"),
            packed_small,
            _(
                "Without what training needs to go on, the weights in half precision. It is "
                "measured anew, which takes a while."
            ),
        )


def _archive(run: Listed, label: str, pack: Callable[[Path], bytes], what: str) -> None:
    st.download_button(
        label,
        # Packed when it is asked for.
        data=partial(packed_or_noted, pack, run.path, session.storage(_UNPACKED)),
        file_name=f"{run.path.name}.zip",
        mime="application/zip",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        help=what,
    )


def packed_or_noted(
    pack: Callable[[Path], bytes], path: Path, refused: dict[Path, Exception]
) -> bytes:
    """Return a run as an archive; where that fails, note why: the button itself cannot say it.

    Raises:
        ConfigError, OSError, RunError: It cannot be packed.
    """
    refused.pop(path, None)
    try:
        return pack(path)
    except (ConfigError, OSError, RunError) as error:
        refused[path] = error.with_traceback(None)
        raise


def packed(path: Path) -> bytes:
    """Return a run as an archive.

    Raises:
        RunError: The folder is no run any more.
    """
    # Packed on the disk: in memory it would grow by being copied, and Streamlit keeps a copy too.
    with tempfile.TemporaryDirectory() as folder:
        archive_run(path, Path(folder) / "run.zip")
        return (Path(folder) / "run.zip").read_bytes()


def packed_small(path: Path) -> bytes:
    """Return a run as an archive that is only to be looked at, not to be trained further.

    Raises:
        RunError: The folder is no run any more, or its task is a file of pairs that is gone.
    """
    use_one_thread()
    with tempfile.TemporaryDirectory() as folder:
        export_run(path, Path(folder) / path.name)
        return packed(Path(folder) / path.name)


def offer(run: Listed) -> None:
    """Say how a run stands, and offer what can be done with it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(run.name)}**", width="content")
        st.caption(_state(run), width="stretch")
        _links(run)
        _download(run)
        _changes(run)
    if why := session.storage(_UNPACKED).get(run.path):
        st.error(_("It was not packed: {why}.").format(why=said(why, run.path)))


def _state(run: Listed) -> str:
    if run.situation is None:
        return _("damaged")
    if run.record is not None and run.record.settings.is_opened:
        settings = run.record.settings
        return _("{family}, opened from {origin}").format(
            family=settings.family, origin=plain(settings.origin)
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
        links.link("", _("Heads"), ":material/grid_view:", {session.MODEL: run.name})
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
    reason = _("It is being trained: pause or stop it first.") if busy else None
    if st.button(_("Rename"), type="tertiary", icon=":material/edit:", disabled=busy, help=reason):
        st.dialog(_("Rename this run"))(_ask_name)(run)
    # A box of its own would leave the keyboard nowhere when it is closed.
    with st.popover(
        _("Delete"), type="tertiary", icon=":material/delete:", disabled=busy, help=reason
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
        leave(_("It keeps its name: {why}.").format(why=said(error, run.path)))
    else:
        session.choose({session.RUNS: [cached.name_of(path)]})


def _delete(run: Listed) -> None:
    try:
        delete_run(run.path)
    except (RunError, OSError) as error:
        leave(_("It was not deleted: {why}.").format(why=said(error, run.path)))
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
