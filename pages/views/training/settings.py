"""The settings of a training, asked for."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

import streamlit as st

from core.config import ConfigError
from core.config.choices import Predicts
from core.heads import Stack
from core.runs.run import RunError
from core.training.presets import (
    LIKE,
    MODEL_SETTINGS,
    PRESETS,
    SHORT,
    Preset,
    Setting,
    with_settings,
)
from pages.frame import cached, controls, session
from pages.frame.language import _, joined, number
from pages.views.training.knobs import (
    ARCHITECTURE,
    AUTOMATIC,
    GROUPS,
    MODEL,
    TRAINING,
    VOCABULARY,
    Groups,
    Knob,
    group_title,
)

WIDTH = 144
"""Of a knob, in pixels."""
START = "start_from"
"""Name of the choice of a run to begin with."""
_OF_TWO_STACKS = {
    *("encoder_mixing", "decoder_mixing", "cross", "memory", "decoder"),
    *("length", "pointer"),
    *("teacher_forcing", "scheduled_sampling", "objective", "reward", "samples"),
}
"""Settings that mean something only to an encoder and a decoder."""


@dataclass(frozen=True, slots=True)
class Begun:
    """The preset that knobs begin with."""

    name: str
    like: str = ""
    """Another kind of Transformer, as `STYLES` names it; empty for the paper's."""
    start: Path | None = None
    """The run whose model, weights and tokenizer are the beginning; None for fresh weights."""
    predicts: Predicts = "tokens"
    """What the task has an encoder alone predict."""

    preset: Preset = field(init=False, compare=False)
    """Its sizes."""
    values: Mapping[str, Setting] = field(init=False, compare=False)
    """Its settings by name."""

    def __post_init__(self) -> None:
        # Once for all knobs, each of which asks for its value.
        found = with_settings(PRESETS[self.name], {LIKE: self.like, "predicts": self.predicts})
        if self.start:
            found = replace(found, model=cached.settings(self.start).model)
        object.__setattr__(self, "preset", found)
        object.__setattr__(self, "values", values_of(found))

    @property
    def key(self) -> str:
        """What stands for it: another one brings its own values."""
        labels = "" if self.predicts == "tokens" else self.predicts
        return " ".join(each for each in (self.name, self.like, labels) if each)

    def has(self, knob: Knob) -> bool:
        """Say whether a setting means something: a single stack has no layers of the other."""
        if self.start and knob.name in MODEL_SETTINGS:
            return False
        stacks = self.preset.model.stacks
        if len(stacks) == 2:
            return True
        absent = {f"n_{stack}_layers" for stack in get_args(Stack) if stack not in stacks}
        return knob.name not in {*absent, *_OF_TWO_STACKS}


def values_of(preset: Preset) -> Mapping[str, Setting]:
    """Return a preset's settings by name; 0 where heads share the width evenly."""
    values = {
        setting.name: getattr(each, setting.name)
        for each in (preset.model, preset.training)
        for setting in dataclasses.fields(each)
    }
    evenly = preset.model.d_model // preset.model.n_heads
    # Heads of another number or width share the model's width again.
    shared = {name: 0 for name in ("d_k", "d_v") if values[name] == evenly}
    return values | shared | {"vocab_size": preset.vocab_size, LIKE: "", "predicts": ""}


def chosen(begun: Begun, groups: Groups) -> dict[str, Setting]:
    """Return the settings that differ from the preset's, without asking."""
    found: dict[str, Setting] = {}
    for knob in (knob for knobs in groups.values() for knob in knobs if begun.has(knob)):
        found |= ask_one(knob, begun, asked=False)
    return found


def ask(begun: Begun, *, vocabulary: bool) -> dict[str, Setting]:
    """Ask for what the paper names, and return the settings that differ from the preset's.

    Args:
        begun: The preset; another one brings its own values.
        vocabulary: Whether the size of the vocabulary is asked for here.
    """
    found: dict[str, Setting] = {}
    for group, knobs in GROUPS.items():
        asked = (*knobs, VOCABULARY) if vocabulary and knobs == MODEL else knobs
        asked = tuple(knob for knob in asked if begun.has(knob))
        if asked:
            with row(group_title(group)):
                for knob in asked:
                    found |= ask_one(knob, begun)
    return found


def ask_architecture(begun: Begun, task: str) -> None:
    """Ask for all other settings, folded.

    Args:
        begun: The preset.
        task: The name of what is learned; empty where it is not known yet.
    """

    def draw() -> None:
        for group, knobs in ARCHITECTURE.items():
            asked = [knob for knob in knobs if begun.has(knob)]
            # What is only on or off has no label above: it stands after what has.
            asked.sort(key=lambda knob: isinstance(begun.values[knob.name], bool))
            if not asked:
                continue
            with row(group_title(group)):
                if knobs is TRAINING and task and begun.preset.model.is_encoder_decoder:
                    _ask_start(task, begun.like)
                for knob in asked:
                    ask_one(knob, begun)
        if begun.start:
            text = _("A training that begins with a run has its model: nothing of it can change.")
            st.caption(text)

    controls.fold(_("The architecture, part by part"), "architecture", draw)


def start(task: str, like: str) -> Path | None:
    """Return the run that is chosen to begin with; None for fresh weights.

    Args:
        task: The name of what is learned: of a run that learned something else are other words.
        like: Another kind of Transformer, which no run can become.
    """
    runs = _runs(task, like)
    return runs.get(controls.chosen(START, {name: name for name in ("", *runs)}, "", {}))


def _ask_start(task: str, like: str) -> None:
    offered = {"": _("fresh weights"), **{name: name for name in _runs(task, like)}}
    help_text = _(
        "A run that learned this task can be trained on: the new one begins with its model, its "
        "weights and its tokenizer. What makes rewards large needs one."
    )
    controls.selection(_("Begin with"), START, offered, "", width=WIDTH, help=help_text)


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


def ask_one(
    knob: Knob, begun: Begun, suitable: int | None = None, *, asked: bool = True
) -> dict[str, Setting]:
    """Ask for one setting, and return it where it differs from the preset's.

    Args:
        knob: The setting.
        begun: The preset.
        suitable: What suits the visitor's own pairs better than the preset's number, to begin with.
        asked: Whether it is drawn; else what was chosen stays.
    """
    of_preset, key = begun.values[knob.name], key_of(knob.name)
    default = of_preset if suitable is None else suitable
    origin = _("Preset {name}: {value}.") if suitable is None else _("For these pairs: {value}.")
    written = knob.word(default) if isinstance(default, str) else exact(default)
    follows = knob.name in AUTOMATIC and default == 0
    # An empty box says itself what it comes to.
    usual = "" if follows else origin.format(name=begun.name, value=written)
    help_text = joined([knob.text, usual, on_command_line(knob)])
    how: controls.Asked = {"asked": asked, "help": help_text}
    value: Setting
    if knob.offered:
        session.belongs_to(key, begun.key)
        offered = {each: knob.word(each) for each in knob.offered}
        value = controls.selection(knob.label, key, offered, str(default), WIDTH, **how)
    elif isinstance(default, bool):
        session.belongs_to(key, begun.key)
        value = controls.toggle(knob.label, key, default, **how)
    else:
        value = _ask_number(knob, begun, default, follows, how)
    return {} if value == of_preset else {knob.name: value}


def require_limits(changed: Mapping[str, Setting], limited: Iterable[Knob]) -> None:
    """Refuse numbers that are too small or too large to train with from here.

    Args:
        changed: Settings by name.
        limited: The knobs whose limits hold.

    Raises:
        ConfigError: The message says which number would do, in the words of the screen.
    """
    for knob in limited:
        low, high = knob.limits
        value = changed.get(knob.name, low)
        if not isinstance(value, bool | str) and not low <= float(value) <= high:
            raise ConfigError(
                _("{label} cannot be {value}: it goes from {low} to {high}").format(
                    label=knob.label, value=exact(value), low=exact(low), high=exact(high)
                )
            )


def exact(value: Setting) -> str:
    """Return a setting as people read it, with all its digits."""
    if isinstance(value, bool):
        return _("on") if value else _("off")
    if isinstance(value, str):
        return value
    return number(value, significant=12, padded=False)


def on_command_line(knob: Knob) -> str:
    """Return how the command line calls a setting."""
    option = f"--{knob.name} …" if knob.name in SHORT else f"--set {knob.name}=…"
    return _("On the command line: {option}").format(option=f"`{option}`")


def key_of(name: str) -> str:
    """Return the key of a setting's widget, which is its name in the URL."""
    return f"set_{name}"


def row(title: str) -> st.delta_generator.DeltaGenerator:
    """Return what stands side by side below a title."""
    st.caption(f"**{title}**")
    return st.container(horizontal=True, gap="xsmall", vertical_alignment="bottom")


def _ask_number(
    knob: Knob, begun: Begun, preset_value: Setting, follows: bool, how: controls.Asked
) -> Setting:
    kind = float if isinstance(preset_value, float) else int
    default = min(kind(preset_value), kind(knob.limits[1]))
    # Without limits: Streamlit would put another number in the place of one that is refused.
    return controls.amount(
        knob.label,
        key_of(knob.name),
        default,
        step=kind(knob.step),
        of=f"{begun.key} {default}",
        width=WIDTH,
        empty=kind(0) if follows else None,
        placeholder=_("auto") if follows else None,
        **how,
    )
