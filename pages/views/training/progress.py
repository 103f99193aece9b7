"""What a training has written so far; of what grows, only the new part is read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from core.messages import error_text
from core.runs.checkpoint import stops
from core.runs.metrics import read_metrics
from core.runs.run import RunError, RunSettings
from core.studies.heads.findings import task_of
from core.tasks import Task
from pages.frame import cached, session
from pages.frame.language import N_, _, number

Computed = TypeVar("Computed")

STATES = {
    "prepared": N_("not begun"),
    "starting": N_("starting…"),
    "running": N_("running"),
    "evaluating": N_("measuring…"),
    "paused": N_("paused"),
    "stopped": N_("stopped"),
    "finished": N_("finished"),
    "failed": N_("failed"),
    "interrupted": N_("interrupted"),
    "opened": N_("opened"),
}
"""How a training stands → in a word or two."""

_MEASURED, _NEWEST = "measured", "newest"


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of a file of measurements."""

    file: int
    """Its number in the file system: going back to a checkpoint makes it another file."""
    state: list[int]
    """How long it was, and when it was written."""
    rows: list[dict[str, Any]]
    offset: int


def rows(path: Path) -> list[dict[str, Any]]:
    """Return all measurements of a run.

    Raises:
        RunError: The file is damaged.
    """
    kept, (file, *state) = session.storage(_MEASURED), _state(path / "metrics.jsonl")
    before = kept.get(path)
    if before is not None and (before.file, before.state) == (file, state):
        return list(before.rows)
    if before is None or before.file != file:
        before = _Read(file, state, [], 0)
    try:
        new, offset = read_metrics(path, before.offset)
        follows = _follows(before.rows, new)
    except RunError:
        if not before.offset:
            raise
        follows = False
    if not follows:
        before = _Read(file, state, [], 0)
        new, offset = read_metrics(path)
    kept[path] = _Read(file, state, [*before.rows, *new], offset)
    return list(kept[path].rows)


def at_newest(
    compute: Callable[..., Computed], path: Path, *arguments: object
) -> tuple[int, Computed]:
    """Return the newest step with weights, and `compute(run, *arguments)` for it.

    Weights for watching pages may be removed while they are read: then the previous result is
    returned again.

    Raises:
        RunError: The run cannot be used, and nothing was computed before.
    """
    kept, of = session.storage(_NEWEST), (path, arguments)
    before = kept.get(compute.__qualname__)
    try:
        step = stops(path)[-1]
        found = step, cached.call(compute, cached.RunAt(path, step), *arguments)
    except (OSError, RunError) as error:
        if before is None or before[0] != of or not path.is_dir():
            raise RunError(error_text(error)) from error
        found = before[1]
    kept[compute.__qualname__] = of, found
    return found


def task(path: Path) -> Task | None:
    """Return what a run learns, or None where its file of pairs is gone.

    Raises:
        RunError: The folder is no run.
    """
    # Also before the first checkpoint.
    return cached.call(task_of, cached.RunAt(path, 0))


def _state(file: Path) -> tuple[int, int, int]:
    """Return which file it is, how long, and when it was written; zeros where it is not there."""
    try:
        stat = file.stat()
    except OSError:
        return 0, 0, 0
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _follows(before: list[dict[str, Any]], new: list[dict[str, Any]]) -> bool:
    return not before or not new or int(new[0]["step"]) > int(before[-1]["step"])


def why_training_loss_is_higher(settings: RunSettings) -> str:
    """Say what a training loss is counted with that a held-out one is not; nothing without it."""
    if settings.training.objective != "cross_entropy":
        return ""
    if not settings.training.teacher_forcing:
        return _(
            "The training loss stands higher, for the decoder was fed its own words; on held-out "
            "sentences it is counted after the true ones."
        )
    if not settings.model.dropout and not settings.training.label_smoothing:
        return ""
    return _(
        "The training loss stands higher, for it is counted with dropout {dropout} and label "
        "smoothing {smoothing}."
    ).format(
        dropout=number(settings.model.dropout, padded=False),
        smoothing=number(settings.training.label_smoothing, padded=False),
    )
