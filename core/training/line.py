"""Trainings that wait until others have ended: in which order, and which come next.

A prepared run waits as long as there is a mark in its folder: it outlives the app, is renamed and
deleted with the run, and stays behind where the run is given away.
"""

import os
import time
from collections.abc import Iterable
from pathlib import Path

from core.files import write_atomically

MARK = "in.line"


def enter(path: Path, others: Iterable[Path] = ()) -> None:
    """Put a prepared run at the end of the line.

    Args:
        path: The run's folder.
        others: Runs of which some may wait; it comes after them, whatever the clock says.

    Raises:
        OSError: The folder cannot be written to.
    """
    write_atomically(path / MARK, b"")
    # A file system's own clock is too coarse to tell two who come at once.
    last = max((found for other in others if (found := _since(other)) is not None), default=0)
    now = max(time.time_ns(), last + 1)
    os.utime(path / MARK, ns=(now, now))


def leave(path: Path) -> None:
    """Take a run out of the line, if it is in it.

    Raises:
        OSError: The folder cannot be written to.
    """
    (path / MARK).unlink(missing_ok=True)


def in_line(paths: Iterable[Path]) -> list[Path]:
    """Return those runs that wait, the one that waits longest first."""
    since = {path: found for path in paths if (found := _since(path)) is not None}
    return sorted(since, key=lambda path: (since[path], path))


def _since(path: Path) -> int | None:
    try:
        return (path / MARK).stat().st_mtime_ns
    except OSError:
        return None
