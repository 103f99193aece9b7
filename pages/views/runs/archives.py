"""Runs as files: taken in from an archive, and given away as one."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from core.device import use_one_thread
from core.runs.archive import archive_run, archive_size
from core.runs.run import RunError, is_run
from core.runs.unpack import unpack_run
from core.runs.weights import newest_checkpoint
from core.training.export import export_run
from pages.frame import address, cached, session
from pages.frame.text import _
from pages.views.runs import remarks
from pages.views.runs.table import Listed

UPLOAD_MEGABYTES = 500


def upload() -> None:
    """Take in a run that was downloaded as an archive, here or elsewhere."""
    taken: list[str] = session.drawer("runs").setdefault("uploads", [])
    with st.popover(_("Add a run from an archive"), icon=":material/upload:", type="tertiary"):
        file = st.file_uploader(
            _("An archive of a run (.zip), as this page gives it"),
            type="zip",
            max_upload_size=UPLOAD_MEGABYTES,
            # Another element for each file, so that it is empty again.
            key=f"upload_{len(taken)}",
        )
        st.caption(
            _("{n} MB at most. A larger run is added by unpacking it into the folder runs.").format(
                n=UPLOAD_MEGABYTES
            )
        )
    if file is None or file.file_id in taken:
        return
    # Noted first: what ends this run of the page before its time must not take the file in twice.
    taken.append(file.file_id)
    try:
        with st.spinner(_("Unpacking and checking …")):
            path = unpack_run(file, cached.OWN)
    except (RunError, OSError) as error:
        remarks.leave(_("Nothing was added: {why}.").format(why=error))
    else:
        address.choose({session.RUNS: [f"runs/{path.name}"]})
        remarks.leave(_("Added as runs/{name}.").format(name=path.name))
    st.rerun()


def download(run: Listed) -> None:
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
        data=partial(pack, run.path),
        file_name=f"{run.path.name}.zip",
        mime="application/zip",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        help=what,
    )


def too_large(path: Path) -> str:
    """Return a warning where a run's archive could not be added to this page again, or nothing."""
    megabytes = archive_size(path) / (1 << 20)
    if not is_run(path) or megabytes <= UPLOAD_MEGABYTES:
        return ""
    said = _(
        "All of it is {n:,.0f} MB, and at most {most} MB can be added here: whoever gets it "
        "unpacks it into the folder runs."
    )
    return said.format(n=megabytes, most=UPLOAD_MEGABYTES)


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
