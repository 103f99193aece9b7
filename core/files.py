"""Files that are written completely or not at all, and reading the end of long files."""

import errno
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from .messages import Message

_END = 4000
"""Bytes: a few lines."""
_LARGEST = 1 << 20
"""Maximum bytes of a file of progress."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file completely or not at all, whatever happens meanwhile.

    Raises:
        OSError: The folder is gone or cannot be written to, or the disk is full.
    """
    with written_atomically(path) as file:
        file.write(content)


@contextmanager
def written_atomically(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file to write to; it gets its name once the context ends without an error.

    Raises:
        OSError: The folder is gone or cannot be written to, or the disk is full.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is its owner's alone; a run is for everyone who may read its folder.
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        # What is being written is known to others by its own name; a full disk says none at all.
        if isinstance(error, OSError) and error.errno and error.filename in (None, temporary):
            error.filename = str(path)
        raise


def open_regular(file: Path) -> IO[bytes]:
    """Open a regular file for reading; refuse devices and pipes, which may block or never end.

    Raises:
        OSError: It is one of these, a folder, missing, or cannot be read.
    """
    # A pipe that nobody writes into would otherwise be waited for.
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, Message("it is not a regular file"), str(file))
    return os.fdopen(handle, "rb")


def leads_out(file: Path) -> bool:
    """Say whether a file is a link to somewhere else.

    A snapshot in the Hub's cache is made of links to the blobs of its model.
    """
    # Of links that lead to themselves, Path.resolve raises RuntimeError.
    folder, target = Path(os.path.realpath(file.parent)), Path(os.path.realpath(file))
    blobs = folder.parent.parent / "blobs"
    is_snapshot = folder.parent.name == "snapshots" and target.parent == blobs
    return file.is_symlink() and not target.is_relative_to(folder) and not is_snapshot


def as_json(figures: Mapping[str, Any]) -> bytes:
    """Return figures as one line of JSON."""
    return (json.dumps({**figures}, ensure_ascii=False) + "\n").encode()


def read_progress(file: Path) -> dict[str, Any] | None:
    """Return the JSON object in a small file: {} if it is missing, None if it is damaged."""
    try:
        with open_regular(file) as opened:
            found = json.loads(opened.read(_LARGEST))
    except OSError:
        return {}
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def end_of(file: Path) -> str:
    """Return the last few lines of a file, the first perhaps cut; "" if there is none."""
    try:
        with open_regular(file) as opened:
            opened.seek(-min(_END, os.fstat(opened.fileno()).st_size), os.SEEK_END)
            return opened.read(_END).decode("utf-8", errors="replace")
    except OSError:
        return ""


def state_of(*files: Path | str | None) -> str:
    """Return a fingerprint that differs once any of these changes, appears or disappears.

    A single string: as a cache key it is faster than a tuple.
    """
    return "|".join(map(_state, files))


def _state(file: Path | str | None) -> str:
    # Asked of every file that any run may have, whenever a page is drawn.
    try:
        found = None if file is None else os.stat(file)  # noqa: PTH116
    except OSError:
        found = None
    return "" if found is None else f"{found.st_mtime_ns} {found.st_size} {found.st_ino}"


def is_new(file: Path, seconds: float) -> bool:
    """Say whether a file was written a moment ago."""
    try:
        written = file.stat().st_mtime
    except OSError:
        return False
    # Also where the clock was set back meanwhile.
    return abs(time.time() - written) < seconds
