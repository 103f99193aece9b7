"""Presets with some settings changed, by name: what the command line and the app both do."""

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import get_args

from core.config import ConfigError, ModelConfig
from core.config.settings import one_of
from core.config.training import TrainConfig
from core.families.styles import in_style, style_named
from core.training.presets import Preset

Setting = bool | int | float | str
MODEL = {field.name: field.type for field in dataclasses.fields(ModelConfig)}
TRAINING = {field.name: field.type for field in dataclasses.fields(TrainConfig)}


def parse_setting(text: str) -> tuple[str, Setting]:
    """Read NAME=VALUE.

    >>> parse_setting("dropout=0.1"), parse_setting("norm=pre"), parse_setting("tied=false")
    (('dropout', 0.1), ('norm', 'pre'), ('tied', False))

    Raises:
        ConfigError: There is no such setting, or the value is of another type.
    """
    name, equals, value = text.partition("=")
    wanted = (MODEL | TRAINING).get(name)
    if not equals or wanted is None or name in _LISTS:
        raise _unknown(text, name if equals else "")
    if name == "tied" and value in ("true", "false"):
        return name, value == "true"
    if wanted is bool:
        if value not in ("true", "false"):
            raise ConfigError("{name} is {value}, not true or false", name=name, value=repr(value))
        return name, value == "true"
    if wanted not in (int, float):
        offered = get_args(wanted)
        if offered and value not in offered:
            raise ConfigError(
                "{name} is {value}, not {known}",
                name=name,
                value=repr(value),
                known=one_of(offered),
            )
        return name, value
    try:
        return name, int(value) if wanted is int else float(value)
    except ValueError as error:
        kind = "a whole number" if wanted is int else "a number"
        raise ConfigError(
            "{name} is {value}, not {known}", name=name, value=repr(value), known=kind
        ) from error


def _unknown(text: str, name: str) -> ConfigError:
    near = [] if name in _LISTS else get_close_matches(name, _names(), n=1)
    if near:
        return ConfigError(
            "there is no setting {name}; did you mean {near}?", name=repr(name), near=near[0]
        )
    return ConfigError(
        "{text} sets nothing: NAME=VALUE with one of {known}",
        text=repr(text),
        known=", ".join(_names()),
    )


def with_settings(preset: Preset, settings: Mapping[str, Setting]) -> Preset:
    """Return a preset with some settings changed.

    `like` names another kind of Transformer (`core.families.styles`), which the others then change.
    More or fewer steps keep the share of the cooldown, and heads of another number or width share
    the model's width evenly, unless the settings say something else.

    Raises:
        ConfigError: A value cannot be, or does not go with the others.
    """
    model = {name: value for name, value in settings.items() if name in MODEL}
    training = {name: value for name, value in settings.items() if name in TRAINING}
    if unknown := sorted(set(settings) - set(model) - set(training) - {LIKE}):
        raise ConfigError("there is no setting {name}", name=", ".join(unknown))
    like, old = settings.get(LIKE), preset.training
    if like and "steps" not in training:
        training["steps"] = old.steps * style_named(str(like)).steps
    steps = training.get("steps")
    if isinstance(steps, int) and "cooldown" not in training:
        training["cooldown"] = old.cooldown * steps // old.steps
    widths: dict[str, Setting] = {"d_k": 0, "d_v": 0} if {"d_model", "n_heads"} & set(model) else {}
    begun = in_style(str(like), preset.model) if like else preset.model
    return Preset(
        ModelConfig.from_dict(begun.to_dict() | widths | model),
        TrainConfig.from_dict(preset.training.to_dict() | training),
        int(model.get("vocab_size", preset.vocab_size)),
    )


def train_command(
    path: Path, files: Mapping[str, Sequence[str]], preset: str, settings: Mapping[str, Setting]
) -> str:
    """Return the command line that makes the same run again.

    Args:
        path: The run's folder.
        files: "task" → its name or files; "valid" and "test" → files, where there are any.
        preset: Its name.
        settings: What differs from it.
    """
    words = ["python", "-m", "core", "train", str(path)]
    for option, names in files.items():
        words += [f"--{option}", *names] if names else []
    words += ["--preset", preset]
    for name, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        # What many want has an option of its own.
        words += [f"--{name}", text] if name in SHORT else ["--set", f"{name}={text}"]
    return shlex.join(words)


LIKE = "like"
"""Another kind of Transformer than the paper's."""
_LISTS = ("adam_betas", "rotary_scaling")
"""Settings of several numbers, which no option says."""
SHORT = (LIKE, "steps", "seed", "positions", "guide")
"""Settings with an option of their own."""


def _names() -> list[str]:
    return sorted((MODEL | TRAINING).keys() - set(_LISTS))
