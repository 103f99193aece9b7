"""A training as it was set up: giving it a name, starting it, and computing its numbers again."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.config import ConfigError
from core.runs.files import PAIRS
from core.runs.folder import checked_name, free_name
from core.runs.run import RunError
from core.tasks import CorpusError, Task
from core.tokenizer.tokenizer import Tokenizer
from core.training.prepare import prepare_run
from core.training.presets import LIKE, Preset, Setting, train_command
from pages.frame import cached, controls, service, session
from pages.frame.language import _, plain
from pages.frame.messages import explained
from pages.frame.recipe import project_path

NAME, VIEW = "run_name", "training"
WATCH = "watch"
"""The view that is opened when a training has begun."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PendingSettings:
    """What a visitor asked for, as far as it can be."""

    task: Task | None
    """None while there are no pairs to learn from."""
    own: bool
    """Whether the visitor's own pairs are learned."""
    name: str
    """The task's, as it is chosen."""
    preset_name: str
    changed: Mapping[str, Setting]
    """The settings that differ from the preset's."""
    preset: Preset | None
    """With these settings; None where they cannot be."""
    start: Path | None
    """The run to begin with; None for fresh weights."""
    tokenizer: Tokenizer | None
    """Learned from the task; None where task or preset is."""
    problem: str
    """Why these settings cannot be; empty where they can."""

    @property
    def files(self) -> dict[str, list[str]]:
        """What the command line calls task and start."""
        task = PAIRS if self.own else self.name
        begun = {"start": [str(project_path(self.start))]} if self.start else {}
        return {"task": [task]} | begun

    @property
    def short(self) -> str:
        """The task and the size, in words that can stand in the name of a run."""
        words = ["pairs" if self.own else self.name, self.preset_name]
        return "-".join([*words, *([str(self.changed[LIKE])] if LIKE in self.changed else [])])


def ask(folder: Path, wanted: PendingSettings) -> str:
    """Ask for a name, and start when told to.

    Args:
        folder: The run is made in it.
        wanted: The training.

    Returns:
        The command that does the same.
    """
    offered = free_name(folder, wanted.short)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = controls.text(_("Name of the run"), NAME, "", placeholder=offered)
        name, problem = _free(folder, typed or offered)
        pressed = st.button(
            _("Start"),
            type="primary",
            icon=":material/play_arrow:",
            disabled=wanted.tokenizer is None or bool(problem),
            key="start",
        )
    command = train_command(
        project_path(folder / name), wanted.files, wanted.preset_name, wanted.changed
    )
    if pressed and not problem:
        with st.spinner(_("Starting …")):
            problem = _started(folder / name, wanted, command)
        if not problem:
            st.rerun()
    for said in (wanted.problem, problem):
        if said:
            st.error(plain(said))
    return command


def _free(folder: Path, typed: str) -> tuple[str, str]:
    """Return a name as it can be used, and what is wrong with it, if anything."""
    try:
        name = checked_name(typed)
    except RunError as error:
        return typed, explained(error)
    if free_name(folder, name) != name:
        return name, _("there is a run named {name} already").format(name=name)
    return name, ""


def _started(path: Path, wanted: PendingSettings, command: str) -> str:
    """Prepare and start a run, and have it watched next; or return why it did not start."""
    if wanted.task is None or wanted.preset is None or wanted.tokenizer is None:
        return _("there is nothing to learn from yet")
    try:
        model = wanted.preset.sized(wanted.tokenizer.vocab_size)
        begins_with_run = wanted.start is not None
        with service.current().starting(
            model, wanted.preset.training, begins_with_run=begins_with_run
        ) as begin:
            prepare_run(
                *(path, wanted.task, wanted.preset_name, wanted.preset, command),
                start=wanted.start,
                # The page has learned that of the usual seed.
                tokenizer=None if wanted.preset.training.seed else wanted.tokenizer,
            )
            begin(path)
    except (ConfigError, CorpusError, RunError, FileExistsError) as error:
        return explained(error)
    except OSError as error:
        text = _("the run cannot be written to {path}: {why}")
        return text.format(path=cached.name_of(path), why=explained(error))
    # Nothing between here and the start may draw: a second click would end this run of the page.
    session.choose({VIEW: WATCH, session.MODEL: cached.name_of(path), NAME: None})
    return ""
