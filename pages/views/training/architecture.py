"""What can be varied beside what the paper names: asked for where somebody unfolds it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.config import ConfigError
from core.runs.run import RunError
from core.tasks import Task
from core.tokenizer.word_level import Vocabulary
from core.training.prepare import own_vocabulary
from core.training.presets import Setting
from pages.frame import cached, controls
from pages.frame.language import _, joined
from pages.views.training import settings
from pages.views.training.knobs import ARCHITECTURE, KNOBS, TRAINING, Knob, group_title
from pages.views.training.settings import WIDTH, Begun

START = "start_from"
"""Name of the choice of a run to begin with."""


def start(task: str, like: str) -> Path | None:
    """Return the run that is chosen to begin with; None for fresh weights.

    Args:
        task: The name of what is learned: of a run that learned something else are other words.
        like: Another kind of Transformer, which no run can become.
    """
    runs = _runs(task, like)
    return runs.get(controls.chosen(START, {name: name for name in ("", *runs)}, "", {}))


def chosen(begun: Begun, task: Task | None) -> dict[str, Setting]:
    """Return the settings that differ from the preset's, without asking.

    Args:
        begun: The preset; another one brings its own values.
        task: What is learned; None where it is not known yet.
    """
    begun = _with_steps(begun)
    found: dict[str, Setting] = {}
    for knobs in ARCHITECTURE.values():
        for knob in knobs:
            found |= _one(knob, begun, task, asked=False)
    return found


def ask(begun: Begun, now: Mapping[str, Setting], task: Task | None) -> None:
    """Ask for all of them, folded.

    Args:
        begun: The preset.
        now: All settings as they are chosen.
        task: What is learned.
    """

    def draw() -> None:
        values, with_steps = begun.values, _with_steps(begun)
        for group, knobs in ARCHITECTURE.items():
            asked = [knob for knob in knobs if begun.has(knob)]
            # What is only on or off has no label above: it stands after what has.
            asked.sort(key=lambda knob: isinstance(values[knob.name], bool))
            if not asked:
                continue
            with settings.row(group_title(group)):
                if knobs is TRAINING and task is not None and begun.preset.model.is_encoder_decoder:
                    _ask_start(task.name, begun.like)
                for knob in asked:
                    _one(knob, with_steps, task, now={**with_steps.values, **now}, asked=True)
        if begun.start:
            said = _("A training that begins with a run has its model: nothing of it can change.")
            st.caption(said)

    controls.fold(_("The architecture, part by part"), "architecture", draw)


def _with_steps(begun: Begun) -> Begun:
    """Return what knobs begin with where another number of steps is asked for."""
    knob = KNOBS["steps"]
    steps = settings.ask_one(knob, begun, asked=False).get("steps", 0)
    low, high = knob.limits
    return replace(begun, steps=int(steps)) if low <= float(steps) <= high else begun


def _one(
    knob: Knob,
    begun: Begun,
    task: Task | None,
    *,
    now: Mapping[str, Setting] | None = None,
    asked: bool,
) -> Mapping[str, Setting]:
    if not begun.has(knob):
        return {}
    if knob.name == "shared_names":
        return _names(knob, begun, task, asked=asked)
    return settings.ask_one(knob, begun, now=now, asked=asked)


def _names(knob: Knob, begun: Begun, task: Task | None, *, asked: bool) -> Mapping[str, Setting]:
    """Ask whether names are read as one vector: all of a task's, or none."""
    words = _words(task)
    if words is None:
        return {}
    help_text = joined([knob.text, settings.on_command_line(knob)])
    key = settings.key_of(knob.name)
    wanted = controls.toggle(knob.label, key, help_text=help_text, asked=asked)
    if not wanted:
        return {}
    # So many tokens there must be, whatever a tokenizer would learn.
    more = {"vocab_size": words.n_tokens} if begun.preset.vocab_size < words.n_tokens else {}
    return {knob.name: words.n_names} | more


def _words(task: Task | None) -> Vocabulary | None:
    """Return the words and names of a task that has its own."""
    try:
        return own_vocabulary(task, ("encoder", "decoder")) if task else None
    except ConfigError:
        return None


def _ask_start(task: str, like: str) -> None:
    offered = {"": _("fresh weights"), **{name: name for name in _runs(task, like)}}
    help_text = _(
        "A run that learned this task can be trained on: the new one begins with its model, its "
        "weights and its tokenizer. What makes rewards large needs one."
    )
    controls.selection(_("Begin with"), START, offered, "", width=WIDTH, help_text=help_text)


def _runs(task: str, like: str) -> dict[str, Path]:
    """Return the runs that a training of a task can begin with, by name."""
    return {} if like else {n: p for n, p in cached.run_paths().items() if _learned(p, task)}


def _learned(path: Path, task: str) -> bool:
    try:
        found = cached.settings(path)
    except RunError:
        return False
    begins = found.task == task and not found.is_opened and found.model.is_encoder_decoder
    return begins and not cached.complaint(path)
