"""Giving a training a name, and starting it."""

from pathlib import Path

import streamlit as st

from core.config import ConfigError
from core.runs.names import checked_name, free_name
from core.runs.run import RunError
from core.tasks import CorpusError
from core.training import process
from core.training.prepare import prepare_run
from core.training.settings import train_command
from pages.frame import address, cached, controls, session
from pages.frame.text import _, plain
from pages.views.training.pending_settings import Wanted

NAME, VIEW = "run_name", "training"


def asked(wanted: Wanted) -> str:
    """Ask for a name, and start when told to.

    Returns:
        The command that does the same.
    """
    offered = free_name(cached.OWN, f"{wanted.short}-{wanted.preset_name}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = controls.text(_("Name of the run"), NAME, "", placeholder=offered)
        name, problem = _free(typed or offered)
        pressed = st.button(
            _("Start"),
            type="primary",
            icon=":material/play_arrow:",
            disabled=wanted.costs is None or bool(problem),
            key="start",
        )
    path = Path(cached.OWN.name) / name
    command = train_command(path, wanted.source, wanted.preset_name, wanted.changed)
    if pressed and not problem:
        with st.spinner(_("Learning the tokenizer, and starting …")):
            problem = _started(cached.OWN / name, wanted, command)
        if not problem:
            st.rerun()
    for said in (wanted.problem, problem):
        if said:
            st.error(plain(said))
    return command


def _free(typed: str) -> tuple[str, str]:
    """Return a name as it can be used, and what is wrong with it, if anything."""
    try:
        name = checked_name(typed)
    except RunError as error:
        return typed, str(error)
    if free_name(cached.OWN, name) != name:
        return name, _("there is a run named {name} already").format(name=name)
    return name, ""


def _started(path: Path, wanted: Wanted, command: str) -> str:
    """Prepare and start a run, and have it watched next; or return why it did not start."""
    if wanted.task is None or wanted.preset is None:
        return _("there is nothing to learn from yet")
    try:
        prepare_run(path, wanted.task, wanted.preset_name, wanted.preset, command)
        process.start(path)
    except (ConfigError, CorpusError, RunError, FileExistsError) as error:
        return str(error)
    except OSError as error:
        why = error.strerror or str(error)
        return _("the run cannot be written to {path}: {why}").format(path=path, why=why)
    # Nothing between here and the start may draw: a second click would end this run of the page.
    address.choose({VIEW: "watch", session.MODEL: f"runs/{path.name}", NAME: None})
    return ""
