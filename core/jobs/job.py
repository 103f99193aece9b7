"""Long work on a folder in a separate process, which outlives the page and the app.

Here it is started, watched and asked to end; `core.jobs.process` is what the process itself does.
All that is known of it is in files of the folder that it works on:

NAME.lock       held by the process that works, as long as it lives
NAME.progress   its state, how much is done, and why it failed if it did; gone when all is well
NAME.log        the output of the process
NAME.request    a request to pause or to stop
NAME.watched    touched by a page that shows the work

No signal is sent and no process is looked up by its id, which may belong to something else by now:
the system keeps a lock as long as its process lives and no longer.
"""

import secrets
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from filelock import FileLock, Timeout

from ..files import as_json, end_of, is_new, open_regular, read_progress, write_atomically
from ..installed import ROOT
from ..messages import Message, message_from_json, message_to_json

State = Literal["idle", "running", "paused", "failed", "interrupted"]
"""running: also about to; interrupted: its process ended without a word (killed, power cut)."""
Wish = Literal["pause", "stop"]
"""How to end: pause (can be resumed) or stop."""

_LONGEST_WISH = 20
"""Bytes; longer than any wish."""
SECONDS_WATCHED = 10.0
"""A page that looked within this many seconds counts as watching."""
SECONDS_TO_START = 30.0
"""How long a process started by another app counts as running before it has locked its folder."""


class JobError(ValueError):
    """Work that cannot be begun or gone on with; the message names the folder."""


@dataclass(frozen=True, slots=True)
class Files:
    """Names of a job's files in its folder."""

    lock: str
    progress: str
    log: str
    request: str
    watched: str
    lock_stays: bool = False
    """Whether the lock's file outlives the work; nothing is in it."""

    @classmethod
    def named(cls, name: str) -> "Files":
        """Return the usual names.

        >>> Files.named("heads").lock
        'heads.lock'
        """
        lock, progress, log = f"{name}.lock", f"{name}.progress", f"{name}.log"
        return cls(lock, progress, log, f"{name}.request", f"{name}.watched")


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a job."""

    state: State
    done: int
    """Parts of the work that are done."""
    of: int
    """Total number of parts; 0 until it is known."""
    message: str
    """Why it failed, or the last line of an interrupted process; else empty."""

    @property
    def alive(self) -> bool:
        """Whether a process is at work."""
        return self.state == "running"


@dataclass(frozen=True, slots=True)
class Job:
    """A kind of work that one process at a time does on a folder."""

    module: str
    """Run with the folder and the arguments of `start`: see `process.main`."""
    doing: str
    """Ends the sentence "another process is …"."""
    files: Files
    error: type[Exception] = JobError
    """Class of the errors that it raises."""

    def status(self, folder: Path) -> Status:
        """Return the state of the work on a folder."""
        # The lock first: what a process wrote before it let go of it is its last word.
        alive, progress = self.at_work(folder), self.progress(folder)
        done, of = (progress.get(name) for name in ("done", "of"))
        if type(done) is not int or type(of) is not int:
            done, of = 0, 0
        if alive:
            return Status("running", done, of, "")
        if not (folder / self.files.progress).exists():
            return Status("idle", 0, 0, "")
        if progress.get("state") == "paused":
            return Status("paused", done, of, "")
        if message := message_from_json(progress):
            return Status("failed", done, of, message)
        return Status("interrupted", done, of, self.last_words(folder))

    def progress(self, folder: Path) -> dict[str, Any]:
        """Return the content of the progress file; {} if it is missing or damaged."""
        return read_progress(folder / self.files.progress) or {}

    def write_progress(
        self, folder: Path, state: str, figures: Mapping[str, Any], message: str = ""
    ) -> None:
        """Write the state of the work, which only its process does once it is begun.

        Raises:
            OSError: The folder is gone or cannot be written to.
        """
        progress = {**figures, "state": state, **message_to_json(message)}
        write_atomically(folder / self.files.progress, as_json(progress))

    def last_words(self, folder: Path) -> str:
        """Return the last line that a process wrote before it ended."""
        lines = end_of(folder / self.files.log).split("\n")
        return next((line for line in reversed(lines) if line.strip()), "")

    def at_work(self, folder: Path) -> bool:
        """Say whether a process works on a folder, or is about to."""
        # Before the lock is looked at: a process that takes it meanwhile writes something else.
        progress = self.progress(folder)
        return self.is_held(folder) or (
            progress.get("state") == "starting"
            and self._is_starting(folder, progress.get("by", _ME))
        )

    def is_held(self, folder: Path) -> bool:
        """Say whether a process holds a folder for this work."""
        return is_held(folder / self.files.lock, self.files.lock_stays)

    def start(self, folder: Path, *arguments: object, **figures: int) -> None:
        """Start or resume the work in a separate process.

        Args:
            folder: What is worked on.
            arguments: For the module, after the folder.
            figures: Shown as progress until the process writes its own.

        Raises:
            Exception: The job's `error`: there is no such folder, or a process is at work on it.
            OSError: The folder cannot be written to.
        """
        self.require(folder)
        with _one_at_a_time:
            if self.at_work(folder):
                raise self.error(self.elsewhere(folder))
            # Anew: a pipe in its place would be waited for.
            (folder / self.files.log).unlink(missing_ok=True)
            with (folder / self.files.log).open("xb") as log:
                self.forget(folder)
                self.write_progress(folder, "starting", {**figures, "by": _ME})
                _drop_ended()
                command = [sys.executable, "-m", self.module, str(folder.resolve())]
                _started[folder.resolve(), self] = subprocess.Popen(
                    [*command, *map(str, arguments)],
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    # A group of its own: Ctrl-C in the app's terminal is not meant for it.
                    start_new_session=True,
                )

    def ask(self, folder: Path, wish: Wish) -> None:
        """Ask for an end of the work.

        Raises:
            OSError: The folder is gone or cannot be written to.
        """
        write_atomically(folder / self.files.request, wish.encode())

    def asked(self, folder: Path) -> Wish | None:
        """Return the pending request, if any."""
        try:
            with open_regular(folder / self.files.request) as file:
                request = file.read(_LONGEST_WISH)
        except OSError:
            return None
        return next((wish for wish in get_args(Wish) if wish.encode() == request), None)

    def forget(self, folder: Path) -> None:
        """Withdraw a request, which was meant for earlier work."""
        (folder / self.files.request).unlink(missing_ok=True)

    def watch(self, folder: Path) -> None:
        """Ask the process to show its intermediate results for the next few seconds.

        Raises:
            OSError: The folder is gone or cannot be written to.
        """
        (folder / self.files.watched).touch()

    def is_watched(self, folder: Path) -> bool:
        """Say whether a page looked a moment ago."""
        return is_new(folder / self.files.watched, SECONDS_WATCHED)

    def require(self, folder: Path) -> None:
        """Refuse a path that is not a folder."""
        if not folder.is_dir():
            raise self.error(Message("{path}: {why}", path=folder, why=Message("no such folder")))

    def elsewhere(self, folder: Path) -> str:
        """Return the error message if another process is already working on the folder."""
        doing = Message(self.doing)
        return Message("{path}: another process is {doing}", path=folder, doing=doing)

    def _is_starting(self, folder: Path, by: object) -> bool:
        if by != _ME:
            return _begins_elsewhere(folder / self.files.progress)
        with _one_at_a_time:
            child = _started.get((folder.resolve(), self))
            return child is not None and child.poll() is None


def is_worked_on(folder: Path) -> bool:
    """Say whether any process works on a folder, or is about to, whatever it does there."""
    jobs = [job for at, job in list(_started) if at == folder.resolve()]
    if any(job.at_work(folder) for job in jobs) or any(map(is_held, folder.glob("*.lock"))):
        return True
    return any(map(_begins_elsewhere, (*folder.glob("*.progress"), folder / "status.json")))


def _begins_elsewhere(file: Path) -> bool:
    """Say whether another app has just written that it started a process.

    Only the other app knows whether that process is alive, so it counts for a while.
    """
    progress = read_progress(file) or {}
    starts = progress.get("state") == "starting" and progress.get("by", _ME) != _ME
    return starts and is_new(file, SECONDS_TO_START)


_ME = secrets.token_hex(8)
"""This process, among others that share its folders, on other machines too."""
_started: dict[tuple[Path, Job], subprocess.Popen[bytes]] = {}
"""The processes that this one started: they need a moment until they hold the lock."""
_one_at_a_time = threading.RLock()
"""Two visitors who press the same button start one process."""


def _drop_ended() -> None:
    """Drop processes that have ended: an app that runs for long starts many."""
    for key, child in list(_started.items()):
        if child.poll() is not None:
            del _started[key]


def is_held(lock: Path, stays: bool = True) -> bool:
    """Say whether a process holds a lock; if not, and unless it stays, its file is removed."""
    if not lock.exists():
        return False
    try:
        # Two threads that check at the same moment would each find the other's lock.
        with _one_at_a_time, FileLock(lock, timeout=0):
            if not stays:
                # Left by a killed process; or made by this look, where the work has just ended.
                lock.unlink(missing_ok=True)
            return False
    except Timeout:
        # A lock that was removed at this moment is held by nobody.
        return lock.exists()
    except OSError:
        # No process can work in a folder that cannot be written to.
        return False
