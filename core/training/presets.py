"""Named presets of sizes and settings that are known to work, and how to change them."""

import dataclasses
import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import get_args

from ..config import ConfigError, ModelConfig
from ..config.checks import OWN_TOKENS
from ..config.settings import one_of
from ..config.styles import in_style, one_stack, style_named
from ..config.training import TrainConfig
from ..installed import COMMAND
from ..tasks import Sample
from ..tokenizer.words import has_unspaced

Setting = bool | int | float | str
MODEL_SETTINGS = {field.name: field.type for field in dataclasses.fields(ModelConfig)}
TRAINING_SETTINGS = {field.name: field.type for field in dataclasses.fields(TrainConfig)}
LIKE = "like"
"""Another kind of Transformer than the paper's."""
SHORT = (LIKE, "steps", "seed", "positions", "guide")
"""Settings with a command-line option of their own."""
_FIXED = ("adam_betas", "architecture", *OWN_TOKENS)
"""Settings that no option can change: several numbers, and what models of a library are."""
SETTINGS = {
    "model": sorted(MODEL_SETTINGS.keys() - set(_FIXED)),
    "training": sorted(TRAINING_SETTINGS.keys() - set(_FIXED)),
}
"""Names of the settings that NAME=VALUE can change."""
_NAMES = sorted(name for names in SETTINGS.values() for name in names)
N_READ = 20_000
"""Number of own pairs that are read for their characters."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A model's sizes, training settings, and vocabulary size."""

    model: ModelConfig
    training: TrainConfig
    vocab_size: int

    def sized(self, vocab_size: int) -> ModelConfig:
        """Return the model's configuration for a vocabulary size."""
        return replace(self.model, vocab_size=vocab_size)


PRESETS: dict[str, Preset] = {
    # Pre-norm and a cooldown: with them the copy task is learned in 850 steps.
    "tiny": Preset(
        ModelConfig(
            vocab_size=320,
            n_encoder_layers=2,
            n_decoder_layers=2,
            d_model=64,
            d_ff=256,
            n_heads=4,
            dropout=0.0,
            norm="pre",
        ),
        TrainConfig(
            steps=850,
            warmup=250,
            cooldown=600,
            learning_rate_factor=1.2,
            label_smoothing=0.0,
            evaluate_every=170,
            checkpoint_every=425,
        ),
        vocab_size=320,
    ),
    # The learning rate falls evenly from the end of the warm-up on: translation needs it for the
    # last percent of its sentences.
    "small": Preset(
        ModelConfig(
            vocab_size=1500,
            n_encoder_layers=3,
            n_decoder_layers=2,
            d_model=128,
            d_ff=512,
            n_heads=4,
            dropout=0.0,
            norm="pre",
        ),
        TrainConfig(
            steps=5000,
            warmup=400,
            cooldown=4600,
            learning_rate_factor=0.5,
            label_smoothing=0.0,
        ),
        vocab_size=1500,
    ),
    # For 10,000 to 200,000 own pairs; benchmarks/own_corpora.py tests it.
    "medium": Preset(
        ModelConfig(
            vocab_size=4000,
            n_encoder_layers=3,
            n_decoder_layers=2,
            d_model=192,
            d_ff=768,
            n_heads=4,
            dropout=0.15,
            norm="pre",
        ),
        TrainConfig(
            steps=9000,
            batch_size=128,
            warmup=600,
            cooldown=8400,
            learning_rate_factor=0.7,
        ),
        vocab_size=4000,
    ),
    # The paper's base model, with its schedule.
    "base": Preset(
        ModelConfig(vocab_size=37000),
        TrainConfig(steps=100_000, evaluate_every=1000, checkpoint_every=1000),
        vocab_size=37000,
    ),
}


def vocabulary_for(n_pairs: int, samples: Iterable[Sample]) -> int:
    """Return a vocabulary size for own pairs, which grows with the square root of their number.

    Characters of scripts without spaces are added: they are many, and each is a token of three
    bytes.

    Args:
        n_pairs: Number of pairs.
        samples: The pairs, of which the first `N_READ` are read.

    >>> [vocabulary_for(n, ()) for n in (10, 2_500, 40_000, 5_000_000)]
    [320, 1000, 4000, 32000]
    >>> vocabulary_for(10, [Sample("cat", "猫")])
    322
    """
    read = islice(samples, N_READ)
    letters = set().union(*(each.source + each.target for each in read))
    spelled = [letter.encode() for letter in letters if has_unspaced(letter)]
    merges = {letter[:end] for letter in spelled for end in range(2, len(letter) + 1)}
    suitable = max(320, round(math.sqrt(n_pairs / 2_500) * 10) * 100)
    return min(32_000, suitable + len(merges))


def parse_setting(text: str) -> tuple[str, Setting]:
    """Read NAME=VALUE.

    >>> parse_setting("dropout=0.1"), parse_setting("norm=pre"), parse_setting("tied=false")
    (('dropout', 0.1), ('norm', 'pre'), ('tied', False))

    Raises:
        ConfigError: There is no such setting, or the value is of another type.
    """
    name, equals, value = text.partition("=")
    if not equals or name not in _NAMES:
        raise ConfigError(
            "{text} sets nothing: NAME=VALUE with one of {known}",
            text=repr(text),
            known=", ".join(_NAMES),
        )
    kind = (MODEL_SETTINGS | TRAINING_SETTINGS)[name]
    if kind is str:
        return name, value
    if kind is int or kind is float:
        try:
            return name, kind(value)
        except ValueError as error:
            known = "a whole number" if kind is int else "a number"
            raise _not_known(name, value, known) from error
    # Older files and commands say true or false for `tied`.
    truths = {"true": True, "false": False} if kind is bool or name == "tied" else {}
    words = get_args(kind) or tuple(truths)
    if value not in (*words, *truths):
        raise _not_known(name, value, one_of(words))
    return name, truths.get(value, value)


def _not_known(name: str, value: str, known: str) -> ConfigError:
    return ConfigError("{name} is {value}, not {known}", name=name, value=repr(value), known=known)


def with_settings(preset: Preset, settings: Mapping[str, Setting]) -> Preset:
    """Return a preset with some settings changed.

    `like` names another kind of Transformer (`core.config.styles`), which the others then change.
    A changed number of steps scales the cooldown, and a changed d_model or n_heads resets the
    heads' widths, unless the settings say otherwise. A model that predicts tags or a class is an
    encoder alone with all layers.

    Raises:
        ConfigError: A value is invalid, or does not go with the others.
    """
    model = {name: value for name, value in settings.items() if name in MODEL_SETTINGS}
    training = {name: value for name, value in settings.items() if name in TRAINING_SETTINGS}
    if unknown := sorted(set(settings) - set(model) - set(training) - {LIKE}):
        raise ConfigError("there is no setting {name}", name=", ".join(unknown))
    like, old = settings.get(LIKE), preset.training
    if like and "steps" not in training:
        training["steps"] = old.steps * style_named(str(like)).steps
    steps = training.get("steps")
    if isinstance(steps, int) and "cooldown" not in training:
        training["cooldown"] = old.cooldown * steps // old.steps
    widths: dict[str, Setting] = {"d_k": 0, "d_v": 0} if {"d_model", "n_heads"} & set(model) else {}
    base = in_style(str(like), preset.model) if like else preset.model
    if model.get("predicts", "tokens") != "tokens":
        base = one_stack(base, "encoder")
    return Preset(
        ModelConfig.from_dict(base.to_dict() | widths | model),
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
        preset: Name of the preset.
        settings: Settings that differ from it.
    """
    words = [*COMMAND.split(), "train", str(path)]
    for option, names in files.items():
        words += [f"--{option}", *names] if names else []
    words += ["--preset", preset]
    for name, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        # Common settings have options of their own.
        words += [f"--{name}", text] if name in SHORT else ["--set", f"{name}={text}"]
    return shlex.join(words)
