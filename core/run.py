"""A run is a folder: what a training leaves behind, and all that looking at its model needs.

run.json          configs, task, seed, versions, the command that makes it
tokenizer.json    in the format of the `tokenizers` library
words.txt         the source words that training saw
metrics.jsonl     one line for each measured step, append-only
evaluation.json   figures on held-out samples, and what each head does
status.json       state, step, heartbeat, process id
.lock             held by the process that trains the run
checkpoints/      step-00000400.safetensors, with step-00000400.state.safetensors beside it
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.checkpoint import CheckpointError, load_model
from core.config import ConfigError, ModelConfig, TrainConfig
from core.model import Site, Transformer
from core.tokenizer import Tokenizer

FORMAT = 1
PAIRS = "pairs.tsv"


class RunError(ValueError):
    """A folder that is no usable run; the message names it and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What run.json says: how the run was made."""

    task: str
    """A name of `TASKS`, or the file of pairs in the run's folder."""
    preset: str
    model: ModelConfig
    training: TrainConfig
    versions: Mapping[str, str]
    command: str

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them."""
        return {
            "format": FORMAT,
            "task": self.task,
            "preset": self.preset,
            "model": self.model.to_dict(),
            "training": self.training.to_dict(),
            "versions": dict(self.versions),
            "command": self.command,
        }


@dataclass(frozen=True, eq=False)
class Run:
    """A trained model with all that is needed to use it. Shared by many: nobody may change it."""

    path: Path
    settings: RunSettings
    model: Transformer
    tokenizer: Tokenizer
    step: int
    """Steps that the loaded weights were trained for."""
    known_words: frozenset[str]
    """Source words that training saw."""
    evaluation: Mapping[str, Any] | None
    """What `evaluate` stored, or None where it was not run."""

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name


def load_run(path: Path) -> Run:
    """Read a run folder with its newest checkpoint.

    Raises:
        RunError: The folder is missing, damaged, or no run.
    """
    if not path.is_dir():
        raise RunError(f"{path}: no such folder")
    settings = read_settings(path)
    checkpoint = newest_checkpoint(path)
    if checkpoint is None:
        raise RunError(f"{path}: no checkpoint yet in checkpoints/")
    try:
        tokenizer = Tokenizer.from_json(_read_text(path, "tokenizer.json"))
        if tokenizer.vocab_size != settings.model.vocab_size:
            raise RunError(
                f"{path}: tokenizer.json has {tokenizer.vocab_size} tokens, "
                f"run.json says {settings.model.vocab_size}"
            )
        model = load_model(checkpoint, settings.model)
    except RunError:
        raise
    except (CheckpointError, ValueError) as error:
        raise RunError(f"{path}: {error}") from error
    return Run(
        path=path,
        settings=settings,
        model=model,
        tokenizer=tokenizer,
        step=checkpoint_step(checkpoint),
        known_words=frozenset(read_words(path)),
        evaluation=_read_evaluation(path, model),
    )


def read_settings(path: Path) -> RunSettings:
    """Read run.json.

    Raises:
        RunError: It is missing, damaged, or of another format.
    """
    stored = _read_json(path, "run.json")
    if stored.get("format") != FORMAT:
        raise RunError(f"{path}: run.json has format {stored.get('format')!r}, not {FORMAT}")
    try:
        return RunSettings(
            task=str(stored["task"]),
            preset=str(stored["preset"]),
            model=ModelConfig.from_dict(stored["model"]),
            training=TrainConfig.from_dict(stored["training"]),
            versions=dict(stored["versions"]),
            command=str(stored["command"]),
        )
    except KeyError as error:
        raise RunError(f"{path}: run.json does not say {error}") from error
    except (ConfigError, TypeError, ValueError) as error:
        raise RunError(f"{path}: run.json: {error}") from error


def _read_evaluation(path: Path, model: Transformer) -> dict[str, Any] | None:
    """Read evaluation.json where there is one.

    Raises:
        RunError: It does not hold the figures, or speaks of heads that the model does not have.
    """
    if not (path / "evaluation.json").exists():
        return None
    stored = _read_json(path, "evaluation.json")
    try:
        [float(stored[name]) for name in ("exact_match", "n", "seed")]
        if stored["pronoun"] is not None:
            [float(stored["pronoun"][name]) for name in ("accuracy", "n")]
            [float(share) for share in stored["pronoun"]["baselines"].values()]
        for head in stored["heads"]:
            [float(head[name]) for name in ("score", "baseline", "silenced_accuracy")]
            if Site.parse(head["site"]) not in model.sites():
                raise ValueError(f"the model has no {head['site']}")
            if head["head"] not in range(model.config.n_heads):
                raise ValueError(f"the model has no head {head['head']}")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunError(f"{path}: evaluation.json is damaged: {error!r}") from error
    return stored


def read_words(path: Path) -> set[str]:
    """Return the source words that training saw.

    Raises:
        RunError: words.txt is missing or no text.
    """
    # Not splitlines: a word may hold a sign at which that would break it.
    return set(_read_text(path, "words.txt").split("\n"))


def is_run(path: Path) -> bool:
    """Say whether a folder claims to be a run, damaged or not."""
    return (path / "run.json").exists()


def newest_checkpoint(path: Path) -> Path | None:
    """Return the weights file with the most steps, or None where there is none."""
    found = [
        file for file in (path / "checkpoints").glob("step-*.safetensors") if _is_weights(file)
    ]
    return max(found, key=checkpoint_step, default=None)


def checkpoint_step(checkpoint: Path) -> int:
    """Return the number of steps in a checkpoint's name."""
    return int(checkpoint.name.removeprefix("step-").split(".")[0])


def _is_weights(file: Path) -> bool:
    return file.name.removeprefix("step-").removesuffix(".safetensors").isdecimal()


def _read_text(path: Path, name: str) -> str:
    try:
        return (path / name).read_text(encoding="utf-8")
    except OSError as error:
        raise RunError(f"{path}: {name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RunError(f"{path}: {name} is not UTF-8 text") from error


def _read_json(path: Path, name: str) -> dict[str, Any]:
    try:
        stored = json.loads(_read_text(path, name))
    except json.JSONDecodeError as error:
        raise RunError(f"{path}: {name} is damaged: {error}") from error
    if not isinstance(stored, dict):
        raise RunError(f"{path}: {name} holds no JSON object")
    return stored
