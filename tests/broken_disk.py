"""A disk that fails after so many changes: full, or gone read-only, as the system tells it."""

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FULL, READ_ONLY = errno.ENOSPC, errno.EROFS
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_CHANGES = ("mkdir", "rename", "replace", "link", "utime")
_REMOVALS = ("unlink", "rmdir", "remove")


class Disk:
    """What is below a folder; from one change on, all fail."""

    def __init__(self, folder: Path, code: int, good: int) -> None:
        self.folder, self.code, self.left = str(folder.resolve()), code, good
        self.failed = 0
        """So many changes were refused."""

    def change(self, place: object) -> None:
        """Count a change; a place that is a number is an open file, wherever it is."""
        inside = isinstance(place, int) or str(place).startswith(self.folder)
        if not inside:
            return
        self.left -= 1
        if self.left < 0:
            self.failed += 1
            raise OSError(self.code, os.strerror(self.code), str(place))


@contextmanager
def broken(folder: Path, code: int, good: int = 0) -> Iterator[Disk]:
    """Let all that would write below a folder fail as the system does, after so many good changes.

    On a full disk something can still be removed, on one that is read-only nothing.
    """
    disk = Disk(folder, code, good)

    def first(do: Callable[..., Any]) -> Callable[..., Any]:
        def changed(place: object, *others: object, **more: object) -> Any:  # noqa: ANN401
            disk.change(place)
            return do(place, *others, **more)

        return changed

    def low(place: object, flags: int, *others: object, **more: object) -> int:
        if flags & _WRITES:
            disk.change(place)
        return open_low(place, flags, *others, **more)

    def high(file: object, mode: str = "r", *others: object, **more: object) -> Any:  # noqa: ANN401
        if set(mode) & set("wax+") and not isinstance(file, int):
            disk.change(file)
        return open_high(file, mode, *others, **more)

    open_low, open_high = os.open, builtins.open
    with pytest.MonkeyPatch.context() as patch:
        for name in (*_CHANGES, "fsync", *(_REMOVALS if code == READ_ONLY else ())):
            patch.setattr(os, name, first(getattr(os, name)))
        patch.setattr(os, "open", low)
        patch.setattr(io, "open", high)
        patch.setattr(builtins, "open", high)
        yield disk
