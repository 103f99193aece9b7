"""What a training has written so far; of what grows, only the new part is read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from core.analysis.heads.findings import task_of
from core.runs.run import RunError, read_metrics
from core.runs.weights import stops
from core.tasks import Task
from pages.frame import cached, session

Computed = TypeVar("Computed")

_MEASURED, _NEWEST = "measured", "newest"


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of a file of measurements."""

    file: int
    """Its number in the file system: going back to a checkpoint makes it another file."""
    rows: list[dict[str, Any]]
    offset: int


def rows(path: Path) -> list[dict[str, Any]]:
    """Return all measurements of a run.

    Raises:
        RunError: The file is damaged.
    """
    kept, file = session.drawer(_MEASURED), _number(path / "metrics.jsonl")
    before = kept.get(path)
    if before is None or before.file != file:
        before = _Read(file, [], 0)
    try:
        new, offset = read_metrics(path, before.offset)
        follows = _follows(before.rows, new)
    except RunError:
        if not before.offset:
            raise
        follows = False
    if not follows:
        before = _Read(file, [], 0)
        new, offset = read_metrics(path)
    kept[path] = _Read(file, [*before.rows, *new], offset)
    return list(kept[path].rows)


def at_newest(
    compute: Callable[..., Computed], path: Path, *arguments: object
) -> tuple[int, Computed]:
    """Return the newest step with weights, and `compute(run, *arguments)` for it.

    Weights that are kept for whoever watches may go while they are being read: then what was
    computed before is returned once more.

    Raises:
        RunError: The run cannot be used, and nothing was computed before.
    """
    kept, of = session.drawer(_NEWEST), (path, arguments)
    before = kept.get(compute.__qualname__)
    try:
        step = stops(path)[-1]
        found = step, cached.of_run_at(compute, path, step, *arguments)
    except (OSError, RunError) as error:
        if before is None or before[0] != of or not path.is_dir():
            raise RunError(str(error)) from error
        found = before[1]
    kept[compute.__qualname__] = of, found
    return found


def task(path: Path) -> Task | None:
    """Return what a run learns, or None where its file of pairs is gone.

    Raises:
        RunError: The folder is no run.
    """
    # Also before the first checkpoint.
    return cached.of_run_at(task_of, path, 0)


def _number(file: Path) -> int:
    try:
        return file.stat().st_ino
    except OSError:
        return 0


def _follows(before: list[dict[str, Any]], new: list[dict[str, Any]]) -> bool:
    return not before or not new or int(new[0]["step"]) > int(before[-1]["step"])
