"""A training as a process of its own: it goes on when the app is reloaded, closed or started anew.

What is known of it stands in the run folder: `status.json`, `metrics.jsonl`, and what every job
keeps there (see `core.jobs.job`).
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from core.files import end_of
from core.jobs.job import Wish
from core.messages import Message, message_from_json, message_to_json
from core.runs.checkpoint import has_state, kept_step, newest_checkpoint
from core.runs.files import PAIRS
from core.runs.folder import TRAINING
from core.runs.run import read_settings
from core.training.tokenised import TOKENS

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
    "opened",
]
"""prepared: never begun; interrupted: its process ended without a word (killed, power cut);
opened: it was trained elsewhere."""
AT_WORK: tuple[State, ...] = ("starting", "running", "evaluating")


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
    settings = read_settings(path)
    if settings.is_opened:
        return Situation("opened", 0, 0, "", can_go_on=False)
    steps = settings.training.steps
    status = _status(path)
    state = _told_state(path, status)
    if state in AT_WORK:
        if TRAINING.at_work(path):
            step = max(status.get("step", 0), kept_step(path), _measured_step(path))
            return Situation(state, step, steps, "", can_go_on=False)
        # It may have ended in between: what a process without the lock has told is its last word.
        status = _status(path)
        state = _told_state(path, status)
        state = "interrupted" if state in AT_WORK else state
    step = max(status.get("step", 0), kept_step(path))
    message = message_from_json(status)
    if state == "interrupted":
        message = message or TRAINING.last_words(path)
    # What ended early has nothing to do, though steps are left; an exported run has no optimizer.
    done = state == "finished" and (step >= steps or bool(message))
    can_go_on = not done and has_state(path) and _has_pairs(path, settings.task)
    return Situation(state, step, steps, message, can_go_on)


def start(path: Path) -> None:
    """Start a prepared run's training, or go on with it, in a process of its own.

    Raises:
        RunError: The folder is no run, or a process is at work on it.
        OSError: The folder cannot be written to.
    """
    read_settings(path)
    TRAINING.start(path, step=kept_step(path))


def pause(path: Path) -> None:
    """Ask the process to keep what it has learned and to end, for now."""
    TRAINING.ask(path, "pause")


def stop(path: Path) -> None:
    """Ask the process to keep what it has learned, to measure it, and to end."""
    TRAINING.ask(path, "stop")


def asked(path: Path) -> Wish | None:
    """Return what the process was asked for and has not done yet, if anything."""
    return TRAINING.asked(path)


def watch(path: Path) -> None:
    """Ask the process for its weights as they are now, for the next few seconds."""
    TRAINING.watch(path)


def _has_pairs(path: Path, task: str) -> bool:
    """Say whether the own pairs that a task may be made of are there; an archive has no tokens."""
    return task != PAIRS or any((path / name).exists() for name in (PAIRS, *TOKENS))


def _told_state(path: Path, status: dict[str, Any]) -> State:
    told = status.get("state")
    found = next((state for state in get_args(State) if state == told), None)
    if found is not None:
        return found
    # A run that was exported has no status, but weights.
    return "prepared" if newest_checkpoint(path) is None else "finished"


def _status(path: Path) -> dict[str, Any]:
    status = TRAINING.told(path)
    if isinstance(status.get("step"), int):
        return status
    if TRAINING.is_damaged(path):
        damage = Message("{name} is damaged", name=TRAINING.files.progress)
        return {"state": "interrupted", "step": 0, **message_to_json(damage)}
    return {}


def _measured_step(path: Path) -> int:
    """Return the last step of the metrics, from the file's end alone: it may be long."""
    whole = end_of(path / "metrics.jsonl").rpartition("\n")[0]
    try:
        return int(json.loads(whole.rpartition("\n")[2])["step"])
    except (KeyError, TypeError, ValueError):
        return 0
