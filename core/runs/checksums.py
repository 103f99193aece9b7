"""checksums.json: what a run holds while nobody trains it, with checksums.

Whoever reads a file that does not fit, or misses one, refuses it by name (`core.runs.files`). A
training takes the list away before it changes anything and makes it anew in the end, so that a
killed one leaves a run without a list: as one of before there were lists, it is read unchecked.
Nothing is refused that was written on purpose: what is about to be written leaves the list first.
"""

import errno
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock

from core.files import write_atomically
from core.runs.checkpoint import seal_of
from core.runs.contents import STATUS, TEXTS, weights_of
from core.runs.files import CHECKSUMS, NOT_LISTED, damaged, listed, read_bytes

_LOCK = ".checksums.lock"


def list_run(path: Path) -> None:
    """List all that a run holds.

    Raises:
        RunError: A file is too large to be read, or of weights and damaged.
        OSError: The folder cannot be written to.
    """
    # What a process tells of itself changes when it likes, and the list does not list itself.
    texts = [name for name in TEXTS if name not in (STATUS, CHECKSUMS) and (path / name).exists()]
    with _alone(path):
        (path / CHECKSUMS).unlink(missing_ok=True)
        found = {name: _checksum(path, name) for name in texts}
        _write(path, found | {name: seal_of(path / name) for name in weights_of(path)})


def forget_list(path: Path) -> None:
    """Take the list away: what a run holds is about to change.

    Raises:
        OSError: The folder cannot be written to.
    """
    with _alone(path):
        (path / CHECKSUMS).unlink(missing_ok=True)


@contextmanager
def changing(path: Path, *names: str) -> Iterator[None]:
    """Take files out of the list while they are written or removed, and list what is there then.

    Raises:
        RunError: The list is damaged.
        OSError: The folder cannot be written to.
    """
    # Also where there is no list: a training that ends may be about to make it.
    with _alone(path):
        before = listed(path)
        if not before:
            yield
            return
        others = {name: each for name, each in before.items() if name not in names}
        _write(path, others)
        yield
        there = {name: _checksum(path, name) for name in names if (path / name).exists()}
        _write(path, others | there)


def check_listed(path: Path) -> None:
    """Refuse a run of which anything that is listed is missing or another.

    Raises:
        RunError: Something is.
    """
    weights = set(weights_of(path))
    for name, checksum in listed(path).items():
        if name not in weights:
            read_bytes(path, name)
        elif seal_of(path / name) != checksum:
            raise damaged(path, name, NOT_LISTED)


def _checksum(path: Path, name: str) -> str:
    return hashlib.sha256(read_bytes(path, name)).hexdigest()


def _write(path: Path, found: dict[str, str]) -> None:
    write_atomically(path / CHECKSUMS, (json.dumps(found, indent=1) + "\n").encode())


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep others from the list, also in other processes."""
    if not path.is_dir():
        # The lock would make it.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    with FileLock(path / _LOCK):
        try:
            yield
        finally:
            # While it is held: who finds a lock whose file is gone looks for it again.
            with suppress(OSError):
                (path / _LOCK).unlink(missing_ok=True)
