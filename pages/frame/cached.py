"""Runs and what their models do with sentences: the only module that caches.

All sessions share what it returns: nobody may change it.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
import streamlit as st

from core.device import use_one_thread
from core.files import state_of
from core.installed import GALLERY as GALLERY
from core.installed import INSTALLED, ROOT
from core.messages import error_text
from core.model import Transformer
from core.runs.checkpoint import best_weights, newest_checkpoint, weights_at
from core.runs.files import EVALUATION, HEADS, PRUNING
from core.runs.folder import TRAINING
from core.runs.run import Run, RunError, RunSettings, load_run, read_settings
from core.studies.effects.head_effects import HeadEffects
from core.studies.effects.measuring import stored_effects
from core.studies.heads.findings import task_of
from core.tasks import Task
from core.training import process
from core.training.process import Situation
from pages.frame import interrupts, service
from pages.frame.bounded_cache import BoundedCache, bytes_of, bytes_of_run
from pages.frame.language import _

Computed = TypeVar("Computed")

OWN = (Path.cwd() if INSTALLED else ROOT) / "runs"
"""The folder of an installed package is not for runs: they stay where the app was started."""
READ = ("run.json", "words.txt", EVALUATION, HEADS, PRUNING)
"""What is read of a run beside its weights."""
SAID = ("run.json", EVALUATION, "metrics.jsonl", "status.json", "train.log", "checkpoints", "best")
"""Files, and folders with names, that say what is known of a run without its weights."""
OF_MODELS, OF_RESULTS = 0.75, 0.25
"""Shares of the memory for loaded models, and for what is computed and read besides."""


@dataclass(frozen=True, slots=True)
class RunAt:
    """A run with the weights of an earlier step of its training."""

    path: Path
    step: int


@dataclass(frozen=True, slots=True)
class RunWriting:
    """A run that is asked in another way than usual."""

    path: Path
    choices: tuple[tuple[str, int], ...]
    """The fields of `Run` that differ, with their values."""

    @property
    def key(self) -> Hashable:
        """What the run and the choices depend on."""
        return "writing", self.choices, key_of(self.path)

    def result(self) -> Run:
        """Return the run with the choices."""
        choices: dict[str, Any] = dict(self.choices)
        return replace(loaded(self.path), **choices)


@dataclass(frozen=True, slots=True)
class Folder:
    """A run's folder itself, or a file, for functions that read files and need no model."""

    path: Path


@dataclass(frozen=True, slots=True)
class ModelOf:
    """The model of a run."""

    path: Path

    @property
    def key(self) -> Hashable:
        """What the run depends on."""
        return "model", key_of(self.path)

    def result(self) -> Transformer:
        """Return the model."""
        return loaded(self.path).model


@dataclass(frozen=True, slots=True)
class Keyed:
    """An argument with a key of its own, a hash of its content for example."""

    key: Hashable
    value: object

    def result(self) -> object:
        """Return the argument."""
        return self.value


@runtime_checkable
class Computable(Protocol):
    """An argument that is computed."""

    @property
    def key(self) -> Hashable:
        """What the result depends on."""

    def result(self) -> object:
        """Return the result."""


def run_paths() -> dict[str, Path]:
    """Return the folders that may be runs, of those that the visitor sees, by their names."""
    return service.run_folders(service.current().visitor(), GALLERY, OWN)


def own() -> Path:
    """Return where the visitor's own runs are."""
    return service.current().visitor().folder(OWN)


def may_write(path: Path) -> bool:
    """Return whether the visitor may keep something beside a run: the gallery is the owner's."""
    return path.parent != GALLERY or service.current().visitor().is_owner


def name_of(path: Path) -> str:
    """Return under which name a run is offered that is not one of the gallery's."""
    return service.run_name(path, OWN)


def listed_name(path: Path) -> str:
    """Return the name of a run in `run_paths`; empty where it is not there."""
    return next((name for name, each in run_paths().items() if each == path), "")


def complaint(path: Path) -> str:
    """Return what is wrong with a run folder as far as a quick look tells, or nothing."""
    try:
        weights = read(_weights_and_settings, Folder(path))
    except RunError as error:
        return error_text(error)
    return "" if weights else _("{run}: no checkpoint yet").format(run=path)


def settings(path: Path) -> RunSettings:
    """Return what run.json says.

    Raises:
        RunError: The folder is no run.
    """
    return read(read_settings, Folder(path))


def situation(path: Path) -> Situation:
    """Return how a run's training stands; files that did not change are not read again.

    Raises:
        RunError: The folder is no run.
    """
    found = read(process.situation, Folder(path))
    # No file says whether a process lives.
    unsure = found.alive or (found.state == "interrupted" and TRAINING.is_held(path))
    return process.situation(path) if unsure else found


def loaded(path: Path, step: int | None = None) -> Run:
    """Return a run with its newest checkpoint, or with that of a step.

    Raises:
        RunError: The folder is missing, damaged, or no run.
    """
    return models().of((path, step, _stamp(path, step)), _load, arguments=(path, step))


def _load(path: Path, step: int | None) -> Run:
    use_one_thread()
    weights = newest_checkpoint(path) if step is None else weights_at(path, step)
    # Whether it is gone meanwhile, `load_run` says.
    with suppress(OSError):
        models().make_room(weights.stat().st_size if weights else 0)
    return interrupts.add_hooks(load_run(path, step))


def task(path: Path) -> Task | None:
    """Return the task that a run was trained on, or None where its file of pairs is gone."""
    return read(task_of, path)


def effects(path: Path) -> HeadEffects | None:
    """Return what silencing each head of a run costs, or None where it was not measured.

    Raises:
        RunError: What was stored is damaged.
    """
    return read(stored_effects, path)


@contextmanager
def computing() -> Iterator[None]:
    """Show a spinner, where a click may end what is computed."""
    with (
        interrupts.started() as may_end,
        st.spinner(_("Computing…"), show_time=True) if may_end else nullcontext(),
    ):
        yield


def read(function: Callable[..., Computed], *arguments: object) -> Computed:
    """Return `function(*arguments)` for what is read from files in no time: without a spinner.

    Args:
        function: Of a module.
        arguments: As those of a `Recipe`.

    Raises:
        RunError: The function raised it; also this is computed once.
    """
    key = function, *map(key_of, arguments)
    found = results().of(key, _result_or_error, arguments=(function, arguments))
    if isinstance(found, RunError):
        raise RunError(*found.args)
    return cast(Computed, found)


def _result_or_error(function: Callable[..., object], arguments: Iterable[object]) -> object:
    try:
        return function(*map(value_of, arguments))
    except RunError as error:
        return error


def key_of(argument: object) -> Hashable:
    """Return the cache key of an argument: of a run also the state of its files."""
    match argument:
        # First, as most are: to ask whether one is computable takes a while.
        case None | int() | float() | str():
            return type(argument).__name__, argument
        case Path():
            return "run", argument, None, _stamp(argument, None)
        case RunAt(path, step):
            return "run", path, step, _stamp(path, step)
        case Folder(path):
            return "folder", path, state_of(path, *(path / name for name in SAID))
        case Computable():
            return argument.key
        case list() | tuple():
            return type(argument).__name__, *map(key_of, argument)
        case np.ndarray():
            return argument.shape, argument.dtype.str, argument.tobytes()
    return type(argument).__name__, argument


def value_of(argument: object) -> object:
    """Return what an argument of a recipe stands for."""
    match argument:
        case None | int() | float() | str():
            return argument
        case Path():
            return loaded(argument)
        case RunAt(path, step):
            return loaded(path, step)
        case Folder(path):
            return path
        case Computable():
            return argument.result()
        case list() | tuple():
            return type(argument)(map(value_of, argument))
    return argument


@st.cache_resource(show_spinner=False)
def models() -> BoundedCache[Run]:
    """Return all loaded runs."""
    return BoundedCache(_most(OF_MODELS), bytes_of_run)


@st.cache_resource(show_spinner=False)
def results() -> BoundedCache[object]:
    """Return what was computed and read."""
    return BoundedCache(_most(OF_RESULTS), bytes_of, bytes_of)


def _most(share: float) -> int:
    """Return how many bytes are kept of one sort of things."""
    return int(share * service.current().memory_megabytes * 1_000_000)


def _stamp(path: Path, step: int | None) -> str:
    """Return what changes when a run's files do, so that nothing old is shown."""
    newest = newest_checkpoint(path), best_weights(path)
    weights = newest if step is None else (weights_at(path, step),)
    return state_of(*(path / name for name in READ), *weights)


def _weights_and_settings(path: Path) -> Path | None:
    """Return the newest weights of a run whose settings can be read."""
    read_settings(path)
    return newest_checkpoint(path)
