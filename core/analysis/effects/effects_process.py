"""Measuring what every head is for as a process of its own, which outlives the page that asked.

    python -m core.analysis.effects.effects_process RUN [N [SEED]]

What is known of it stands in the run's folder, beside what it ends with, heads.json:

heads.lock      held by whoever measures, as long as it lives
heads.progress  how many heads are done, and why it failed if it did; gone when all is well
heads.log       what the process said
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from core.analysis.effects.effects_file import fingerprint, store_effects
from core.analysis.effects.head_effects import (
    N_SENTENCES,
    SEED,
    HeadEffect,
    HeadEffects,
    head_effects,
)
from core.analysis.effects.silencing import every_head
from core.device import use_one_thread
from core.files import write_atomically
from core.runs.checkpoint import write_atomically
from core.runs.run import Run, RunError, load_run, read_settings

State = Literal["idle", "measuring", "failed", "interrupted"]
"""interrupted: its process ended without a word (killed, power cut)."""

LOCK, PROGRESS, LOG = "heads.lock", "heads.progress", "heads.log"
ROOT = Path(__file__).resolve().parents[3]
NICENESS = 19
"""Whoever uses the machine comes first."""
_started: dict[Path, subprocess.Popen[bytes]] = {}
"""The processes that this one started: they need a moment until they hold the lock."""
_starting = threading.Lock()
"""Two visitors who press the same button start one process."""
_looking = threading.Lock()


class MeasuredElsewhereError(RunError):
    """Another process is measuring the run's heads: what the folder tells is that one's."""


@dataclass(frozen=True, slots=True)
class Measuring:
    """How the measuring of a run's heads stands."""

    state: State
    done: int
    """Heads that are measured."""
    of: int
    """Heads that there are; 0 as long as that is unknown."""
    message: str
    """Why it failed, or what an interrupted process said last; else empty."""


def measuring(path: Path) -> Measuring:
    """Return how the measuring of a run's heads stands; `stored_effects` has what came of it."""
    if is_measured_now(path):
        told = _told(path)
        return Measuring("measuring", told.get("done", 0), told.get("of", 0), "")
    if not (path / PROGRESS).exists():
        return Measuring("idle", 0, 0, "")
    told = _told(path)
    message = str(told.get("message", ""))
    state: State = "failed" if message else "interrupted"
    return Measuring(state, told.get("done", 0), told.get("of", 0), message or _last_words(path))


def is_measured_now(path: Path) -> bool:
    """Say whether a process measures a run's heads, or is about to."""
    child = _started.get(path.resolve())
    if child is not None and child.poll() is None:
        return True
    if not (path / LOCK).exists():
        return False
    try:
        # Two who look at the same moment would each find the other's lock.
        with _looking, FileLock(path / LOCK, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        # Nobody measures where nothing can be written.
        return False


def start(path: Path, n: int = N_SENTENCES, seed: int = SEED) -> None:
    """Measure a run's heads in a process of its own.

    Raises:
        MeasuredElsewhereError: A process is at it.
        RunError: The folder is no run.
        OSError: The folder cannot be written to.
    """
    read_settings(path)
    with _starting:
        if is_measured_now(path):
            raise MeasuredElsewhereError(_elsewhere(path))
        _tell(path, 0, 0)
        with (path / LOG).open("wb") as log:
            _started[path.resolve()] = subprocess.Popen(
                [sys.executable, "-m", __name__, str(path.resolve()), str(n), str(seed)],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A group of its own: Ctrl-C in the app's terminal is not meant for it.
                start_new_session=True,
            )


def measured_effects(run: Run, n: int = N_SENTENCES, seed: int = SEED) -> Iterator[HeadEffect]:
    """Yield the effect of each head, telling how far it is, and store all of them at the end.

    Raises:
        MeasuredElsewhereError: Another process is at it.
        RunError: The run's task cannot be used any more, or the folder has other weights when all
            is measured.
        OSError: The folder cannot be written to.
    """
    with _held(run.path):
        total, found = len(every_head(run.model)), list[HeadEffect]()
        _tell(run.path, 0, total)
        for effect in head_effects(run, n, seed):
            found.append(effect)
            _tell(run.path, len(found), total)
            yield effect
        of_n = found[0].exact_match.n
        effects = HeadEffects(tuple(found), of_n, seed, run.step, all_there_are=of_n < n)
        store_effects(run.path, effects, _unchanged(run))
        for name in (PROGRESS, LOG):
            (run.path / name).unlink(missing_ok=True)


def _unchanged(run: Run) -> str:
    """Return the fingerprint of a run's weights.

    Raises:
        RunError: Its folder holds others: training went on, or another run has its name now.
    """
    measured = fingerprint(run.model)
    if fingerprint(load_run(run.path).model) != measured:
        raise RunError(f"{run.path}: the weights have changed while its heads were measured")
    return measured


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Keep others from measuring; the hold ends with the process, even killed."""
    if not path.is_dir():
        # The lock would make the folder.
        raise RunError(f"{path}: no such folder")
    try:
        # Whoever only looks holds it for a moment.
        with FileLock(path / LOCK, timeout=1.0):
            try:
                yield
            finally:
                # While it is held: who finds a lock whose file is gone looks for the file again.
                with suppress(OSError):
                    (path / LOCK).unlink(missing_ok=True)
    except Timeout as error:
        raise MeasuredElsewhereError(_elsewhere(path)) from error


def _elsewhere(path: Path) -> str:
    return f"{path}: another process is measuring this run's heads"


def _tell(path: Path, done: int, of: int, message: str = "") -> None:
    told = {"done": done, "of": of, "message": message}
    write_atomically(path / PROGRESS, json.dumps(told).encode())


def _told(path: Path) -> dict[str, Any]:
    try:
        told = json.loads((path / PROGRESS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    whole = isinstance(told, dict) and all(type(told.get(key)) is int for key in ("done", "of"))
    return told if whole else {}


def _last_words(path: Path) -> str:
    """Return the last line that the process wrote before it ended."""
    try:
        lines = (path / LOG).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    return next((line for line in reversed(lines) if line.strip()), "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and store, and return the exit status: 0, or 2 where somebody has to mend something.

    Args:
        arguments: The run, and n and the seed where they are not the usual ones.
    """
    path, *numbers = sys.argv[1:] if arguments is None else arguments
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    use_one_thread()
    try:
        for _ in measured_effects(load_run(Path(path)), *map(int, numbers)):
            pass
    except (OSError, RunError) as error:
        if not isinstance(error, MeasuredElsewhereError):
            with suppress(OSError):
                _tell(Path(path), _told(Path(path)).get("done", 0), 0, str(error))
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
