"""What others may ask of the process that trains a run, through files in its folder.

No signal is sent and no process is looked for by its id: that may belong to something else by now.
"""

import time
from pathlib import Path
from typing import Literal, get_args

from core.files import write_atomically

Wish = Literal["pause", "stop"]
REQUEST = "request"
WATCHED = "watched"
SECONDS_WATCHED = 10.0
"""For so long one look is followed by live weights."""


def ask(path: Path, wish: Wish) -> None:
    """Ask for an end of the training: to go on later (pause), or for good (stop).

    Raises:
        OSError: The folder is gone or cannot be written to.
    """
    write_atomically(path / REQUEST, wish.encode())


def asked(path: Path) -> Wish | None:
    """Return what was asked, if anything."""
    try:
        found = (path / REQUEST).read_text(encoding="utf-8")
    except OSError:
        return None
    return next((wish for wish in get_args(Wish) if wish == found), None)


def forget(path: Path) -> None:
    """Take back what was asked: it was meant for a training before."""
    (path / REQUEST).unlink(missing_ok=True)


def watch(path: Path) -> None:
    """Ask for the weights as they are now, for the next few seconds.

    Raises:
        OSError: The folder is gone or cannot be written to.
    """
    (path / WATCHED).touch()


def is_watched(path: Path) -> bool:
    """Say whether somebody looked a moment ago."""
    try:
        looked = (path / WATCHED).stat().st_mtime
    except OSError:
        return False
    # Also where the clock was set back meanwhile.
    return abs(time.time() - looked) < SECONDS_WATCHED
