"""A training as a separate process, which survives reloads and restarts of the app.

Its state is in the run folder: `status.json`, `metrics.jsonl`, and the files of every job
(see `core.jobs.job`).
"""

import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from ..files import end_of, read_progress, write_atomically
from ..messages import Message, message_from_json, message_to_json
from ..runs.checkpoint import has_state, kept_step, newest_checkpoint
from ..runs.files import PAIRS
from ..runs.folder import TRAINING
from ..runs.metrics import Named, Table, columns_of, figures, read_record
from ..runs.run import read_settings
from .tokenised import TOKENS

AtWork = Literal["starting", "running", "evaluating"]
State = Literal[
    AtWork, "prepared", "paused", "stopped", "finished", "failed", "interrupted", "opened"
]
"""prepared: never started; interrupted: its process died (killed, power cut); opened: trained
elsewhere."""
AT_WORK: tuple[State, ...] = get_args(AtWork)


@dataclass(frozen=True, slots=True)
class Situation:
    """The state of a run's training."""

    state: State
    step: int
    """Number of finished steps, as far as known."""
    steps: int
    """Total number of steps."""
    message: str
    """Why it failed or ended early; else empty."""
    can_go_on: bool
    """Whether it can be started: no process trains it, and steps are left."""

    @property
    def alive(self) -> bool:
        """Whether a process is at work."""
        return self.state in AT_WORK


def situation(path: Path) -> Situation:
    """Return the state of a run's training.

    Raises:
        RunError: The folder is no run.
    """
    settings = read_settings(path)
    if settings.is_opened:
        return Situation("opened", 0, 0, "", can_go_on=False)
    steps = settings.training.steps
    status, state = _status(path)
    if state in AT_WORK:
        if TRAINING.at_work(path):
            step = max(status.get("step", 0), kept_step(path), _measured_step(path))
            return Situation(state, step, steps, "", can_go_on=False)
        # It may have ended in between: without the lock, the written state is final.
        status, state = _status(path)
        state = "interrupted" if state in AT_WORK else state
    step = max(status.get("step", 0), kept_step(path))
    message = message_from_json(status)
    if state == "interrupted":
        message = message or TRAINING.last_words(path)
    # A run that ended early is done, though steps are left; an exported run has no optimizer.
    done = state == "finished" and (step >= steps or bool(message))
    can_go_on = not done and has_state(path) and _has_pairs(path, settings.task)
    return Situation(state, step, steps, message, can_go_on)


def start(path: Path) -> None:
    """Start or resume a run's training in a separate process.

    Raises:
        RunError: The folder is no run, or a process is at work on it.
        OSError: The folder cannot be written to.
    """
    read_settings(path)
    TRAINING.start(path, step=kept_step(path))


def _has_pairs(path: Path, task: str) -> bool:
    """Say whether a task's own pairs are available; an archive has no tokens."""
    return task != PAIRS or any((path / name).exists() for name in (PAIRS, *TOKENS))


def _status(path: Path) -> tuple[dict[str, Any], State]:
    """Return the content of status.json, and the state that it names."""
    status = read_progress(path / TRAINING.files.progress)
    if status is None:
        damage = Message("{name} is damaged", name=TRAINING.files.progress)
        return {"step": 0, **message_to_json(damage)}, "interrupted"
    if not isinstance(status.get("step"), int):
        status = {}
    state = next((state for state in get_args(State) if state == status.get("state")), None)
    # A run that was exported has no status, but weights.
    return status, state or ("prepared" if newest_checkpoint(path) is None else "finished")


def _measured_step(path: Path) -> int:
    """Return the last step of the metrics, reading only the end of the file."""
    whole = end_of(path / "metrics.jsonl").rpartition("\n")[0]
    try:
        return int(json.loads(whole.rpartition("\n")[2])["step"])
    except (KeyError, TypeError, ValueError):
        return 0


QUEUED = "in.line"
"""File in the folder of a prepared run that waits for others; never archived."""


def enqueue(path: Path, others: Iterable[Path] = ()) -> None:
    """Put a prepared run at the end of the queue.

    Args:
        path: The run's folder.
        others: Runs that may be waiting; it is placed after them, whatever the clock says.

    Raises:
        OSError: The folder cannot be written to.
    """
    write_atomically(path / QUEUED, b"")
    # A file system's clock is too coarse to order simultaneous runs.
    last = max((_queued_since(other) or 0 for other in others), default=0)
    now = max(time.time_ns(), last + 1)
    os.utime(path / QUEUED, ns=(now, now))


def dequeue(path: Path) -> None:
    """Remove a run from the queue, if it is in it.

    Raises:
        OSError: The folder cannot be written to.
    """
    (path / QUEUED).unlink(missing_ok=True)


def queue(paths: Iterable[Path]) -> list[Path]:
    """Return the waiting runs, the longest waiting first."""
    since = {path: at for path in paths if (at := _queued_since(path)) is not None}
    return sorted(since, key=lambda path: (since[path], path))


def _queued_since(path: Path) -> int | None:
    try:
        return (path / QUEUED).stat().st_mtime_ns
    except OSError:
        return None


def table_of_runs(runs: Named) -> Table:
    """Return the state, settings and results of each run in a row.

    Raises:
        RunError: A folder is no run, or one of its files is damaged.
    """
    rows = []
    for name, path in runs:
        current = situation(path)
        status = {"state": current.state, "step": current.step, "steps": current.steps}
        rows.append({"run": name, **status, **figures(read_record(path))})
    return Table(columns_of(rows))
