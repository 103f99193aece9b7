"""Renaming and deleting runs."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.jobs.job import is_worked_on
from core.messages import Message
from core.runs.files import about
from core.runs.folder import TRAINING, RunFolder
from core.runs.incoming import DELETED, clear_left_over
from core.runs.names import checked_name, is_taken
from core.runs.run import RunError, is_run


def rename_run(path: Path, name: str) -> Path:
    """Give a run another name, and return its new folder.

    Raises:
        RunError: The name cannot be one or is taken, a process works on the run, or there is none.
    """
    target = path.with_name(checked_name(name))
    with _at_rest(path):
        # An empty folder would be replaced without a word, and so would a folder whose name
        # differs in the case of letters, on a disk that takes the two for one.
        if is_taken(path.parent, target.name, by_others_than=path.name):
            raise RunError("there is a {name} already", name=repr(target.name))
        # While the lock is held, so that no training begins under the old name: the lock is on
        # the file, not on its name, and moves with the folder.
        os.rename(path, target)
    return target


def delete_run(path: Path) -> None:
    """Delete a run; it is gone at once for whoever lists the folder, or not at all.

    What cannot be removed now stays hidden, and is removed with the next run.

    Raises:
        RunError: A process works on the run, or there is none.
    """
    with _at_rest(path):
        os.rename(path, path.with_name(DELETED + secrets.token_hex(8)))
    clear_left_over(path.parent)


@contextmanager
def _at_rest(path: Path) -> Iterator[None]:
    """Keep trainings away from a run.

    Raises:
        RunError: A process works on it, or there is none.
    """
    _require_run(path)
    if TRAINING.at_work(path):
        raise RunError(TRAINING.elsewhere(path))
    if is_worked_on(path):
        raise about(path, Message("another process is at work on this run"))
    with RunFolder(path).held():
        try:
            # Somebody else may have moved it just before.
            _require_run(path)
        except RunError:
            # The lock has made the folder anew, and nothing else is in it.
            with suppress(OSError):
                (path / TRAINING.files.lock).unlink()
                path.rmdir()
            raise
        yield


def _require_run(path: Path) -> None:
    if not is_run(path):
        raise about(path, Message("there is no such run"))
