"""Hidden folders beside runs: what is to become one, and what is left of one that was deleted."""

import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

INCOMING = ".incoming-"
"""How the names of hidden folders begin that are to become runs."""
DELETED = ".deleted-"
"""How the names of hidden folders begin that are being removed; 16 hexadecimal digits follow."""
_LONGEST_WORK = 24 * 3600
"""Seconds after which nobody can still be at work on what is to become a run."""


def incoming_folder(parent: Path) -> Path:
    """Make a hidden folder that is to become a run, and remove what killed processes left before.

    Raises:
        OSError: The folder around it cannot be written to.
    """
    parent.mkdir(parents=True, exist_ok=True)
    clear_left_over(parent)
    return Path(tempfile.mkdtemp(prefix=INCOMING, dir=parent))


def clear_left_over(parent: Path) -> None:
    """Remove what a broken deletion, or a process that was killed, left in a folder of runs."""
    # A run may stand beside anything: only names that were made here.
    for path in parent.glob(DELETED + "[0-9a-f]" * 16):
        _remove(path)
    for path in parent.glob(INCOMING + "[a-z0-9_]" * 8):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _LONGEST_WORK:
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_symlink():
        # What a link leads to is somebody else's.
        path.unlink(missing_ok=True)
    else:
        shutil.rmtree(path, ignore_errors=True)
