"""Open a model of another library, and say how far that is."""

import shutil
from pathlib import Path

import streamlit as st

from core.jobs.job import Status
from core.library.checkpoint import OpeningError
from core.runs.run import RunError
from core.studies.opening.opening import OPENING, being_opened, name_of, start
from core.studies.opening.survey import survey
from pages.frame import cached, session
from pages.frame.language import _, duration, number, plain
from pages.frame.messages import explained
from pages.views.training.manage import leave

SOURCE, NAME = "open_source", "open_name"
"""Keys of what is typed."""


def ask() -> None:
    """Ask what is to be opened, and under which name."""
    with st.popover(_("Import a model"), icon=":material/folder_open:", type="tertiary"):
        source = st.text_input(
            _("A folder, a .zip, a .gguf file, or owner/name on the Hugging Face Hub"), key=SOURCE
        ).strip()
        name = st.text_input(_("Name of the run"), key=NAME, placeholder=_usual_name(source))
        st.caption(
            _(
                "Any model of the transformers library that continues a text, fills in words, "
                "translates or classifies: BERT, GPT-2, LLaMA, Mistral, Gemma, BART, T5 and many "
                "more. Paths are those of the computer on which this app runs. Nothing of a "
                "model's folder is executed."
            )
        )
        problem = _say_what_it_needs(source) if source else ""
        st.button(
            _("Open it"),
            type="primary",
            disabled=not source or bool(problem),
            on_click=_start,
            args=(source, name.strip() or _usual_name(source)),
        )


def _usual_name(source: str) -> str:
    return Path(source).stem if source.endswith((".zip", ".gguf")) else Path(source).name


def _say_what_it_needs(source: str) -> str:
    """Say how large a model is and how long it takes, before; return why it cannot be opened."""
    path = Path(source).expanduser()
    if not path.is_dir() and path.suffix.lower() != ".gguf":
        return ""
    try:
        found = survey(path)
    except (OpeningError, OSError) as error:
        why = explained(error)
        st.error(plain(why))
        return why
    st.caption(
        _(
            "{family}, {n} weights in its files: {stored} MB on the disk, {size} MB in memory, at "
            "most {time}."
        ).format(
            family=found.family,
            n=number(found.n_weights),
            stored=number(found.n_stored / 1e6, 0),
            size=number(found.n_bytes / 1e6, 0),
            time=duration(found.seconds),
        )
    )
    return ""


def _start(source: str, name: str) -> None:
    try:
        start(source, cached.own(), name)
    except (RunError, OSError) as error:
        leave(_("Nothing was opened: {why}.").format(why=explained(error)))
    else:
        session.storage("runs")["opening"] = True


def tell() -> None:
    """Say of each model that is being opened how far it is, or why it could not be."""
    folders = being_opened(cached.own())
    alive = any(OPENING.at_work(folder) for folder in folders)
    session.fragment("opening", every=1.0 if alive else None)(_tell)()


def _tell() -> None:
    folders = being_opened(cached.own())
    for folder in folders:
        _tell_of(folder, OPENING.status(folder))
    working = any(OPENING.at_work(folder) for folder in folders)
    was_working = session.storage("runs").get("opening", False)
    session.storage("runs")["opening"] = working
    if was_working and not working:
        # What has come of it stands in the table above.
        st.rerun()


def _tell_of(folder: Path, status: Status) -> None:
    name = plain(name_of(folder))
    with st.container(horizontal=True, vertical_alignment="center"):
        if status.alive:
            share = status.done / status.of if status.of else 0.0
            st.progress(share, text=_("Opening {name} …").format(name=name))
            st.button(_("Stop"), key=f"stop {name}", on_click=OPENING.ask, args=(folder, "stop"))
        elif status.message or status.state == "interrupted":
            why = plain(explained(status.message) or _("its process ended"))
            st.error(_("{name} was not opened: {why}").format(name=name, why=why))
            st.button(
                _("Dismiss"), key=f"dismiss {name}", on_click=shutil.rmtree, args=(folder, True)
            )
