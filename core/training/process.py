"""A training as a process of its own: it goes on when the app is reloaded, closed or started anew.

What is known of it stands in the run folder: `status.json`, `metrics.jsonl`, and the lock that the
process holds as long as it lives.
"""

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from core.runs.folder import RunFolder
from core.runs.run import RunError, read_settings
from core.runs.weights import has_state, kept_step, newest_checkpoint
from core.training import requests

State = Literal[
    "prepared",
    "starting",
    "running",
    "evaluating",
    "paused",
    "stopped",
    "finished",
    "failed",
    "interrupted",
]
"""prepared: never begun; interrupted: its process ended without a word (killed, power cut)."""
AT_WORK: tuple[State, ...] = ("starting", "running", "evaluating")

ROOT = Path(__file__).resolve().parents[2]
LOG = "train.log"
_started: dict[Path, subprocess.Popen[bytes]] = {}
"""The processes that this one started: they need a moment until they hold the lock."""
_starting = threading.Lock()
"""Two visitors who press the same button start one process."""


@dataclass(frozen=True, slots=True)
class Situation:
    """How a run's training stands."""

    state: State
    step: int
    """Steps that are done, as far as is known."""
    steps: int
    """Steps that are wanted."""
    message: str
    """Why it failed, or ended early; else empty."""
    can_go_on: bool
    """Whether starting it makes sense: nobody trains it, and something is left to do."""

    @property
    def alive(self) -> bool:
        """Whether a process is at work."""
        return self.state in AT_WORK


def situation(path: Path) -> Situation:
    """Return how a run's training stands.

    Raises:
        RunError: The folder is no run.
    """
    steps = read_settings(path).training.steps
    status = _status(path)
    state = _told_state(path, status)
    if state in AT_WORK:
        if RunFolder(path).is_held() or (state == "starting" and _is_starting(path)):
            step = max(status.get("step", 0), kept_step(path), _measured_step(path))
            return Situation(state, step, steps, "", can_go_on=False)
        # It may have ended in between: what a process without the lock has told is its last word.
        status = _status(path)
        state = _told_state(path, status)
        state = "interrupted" if state in AT_WORK else state
    step = max(status.get("step", 0), kept_step(path))
    message = str(status.get("message", ""))
    if state == "interrupted":
        message = message or _last_words(path)
    # What ended early has nothing to do, though steps are left; an exported run has no optimizer.
    done = state == "finished" and (step >= steps or bool(message))
    return Situation(state, step, steps, message, can_go_on=not done and has_state(path))


def start(path: Path) -> None:
    """Start a prepared run's training, or go on with it, in a process of its own.

    Raises:
        RunError: The folder is no run, or a process is at work on it.
        OSError: The folder cannot be written to.
    """
    read_settings(path)
    with _starting, (path / LOG).open("ab") as log:
        if situation(path).alive or RunFolder(path).is_held():
            raise RunError(f"{path}: another process is training this run")
        requests.forget(path)
        log.truncate(0)
        RunFolder(path).write_status("starting", kept_step(path))
        _started[path.resolve()] = subprocess.Popen(
            [sys.executable, "-m", "core.training", str(path.resolve())],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # A group of its own: Ctrl-C in the app's terminal is not meant for the training.
            start_new_session=True,
        )


def pause(path: Path) -> None:
    """Ask the process to keep what it has learned and to end, for now."""
    requests.ask(path, "pause")


def stop(path: Path) -> None:
    """Ask the process to keep what it has learned, to measure it, and to end."""
    requests.ask(path, "stop")


def watch(path: Path) -> None:
    """Ask the process for its weights as they are now, for the next few seconds."""
    requests.watch(path)


def _is_starting(path: Path) -> bool:
    child = _started.get(path.resolve())
    return child is not None and child.poll() is None


def _told_state(path: Path, status: dict[str, Any]) -> State:
    told = status.get("state")
    found = next((state for state in get_args(State) if state == told), None)
    if found is not None:
        return found
    # A run that was exported has no status, but weights.
    return "prepared" if newest_checkpoint(path) is None else "finished"


def _status(path: Path) -> dict[str, Any]:
    try:
        status = json.loads((path / "status.json").read_text(encoding="utf-8"))
        return status if isinstance(status, dict) and isinstance(status.get("step"), int) else {}
    except (OSError, ValueError):
        return {}


def _measured_step(path: Path) -> int:
    """Return the last step of the metrics, from the file's end alone: it may be long."""
    whole = _end_of(path / "metrics.jsonl").rpartition("\n")[0]
    try:
        return int(json.loads(whole.rpartition("\n")[2])["step"])
    except (KeyError, TypeError, ValueError):
        return 0


def _last_words(path: Path) -> str:
    """Return the last line that a process wrote before it ended."""
    lines = _end_of(path / LOG).split("\n")
    return next((line for line in reversed(lines) if line.strip()), "")


def _end_of(file: Path) -> str:
    """Return the last few lines of a file, the first perhaps cut; "" where there is none."""
    try:
        with file.open("rb") as opened:
            opened.seek(-min(4000, os.fstat(opened.fileno()).st_size), os.SEEK_END)
            return opened.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
