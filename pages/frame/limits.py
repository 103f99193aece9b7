"""What a visitor of a class may have of the machine; the one user and a teacher may have all."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.config import ModelConfig
from core.runs.unpack import LARGEST
from core.train_config import TrainConfig
from core.training import process
from core.training.limits import MEGABYTE, Limits, bytes_in, worked_on
from pages.classroom import current, settings
from pages.classroom.visitors import TEACHER
from pages.frame import cached, run_folders

_one_at_a_time = threading.Lock()
"""Two who start in the same moment are not both the last for whom there is room."""


def of_visitor() -> Limits | None:
    """Return what the visitor is limited to; None where nothing is limited."""
    classroom = settings.opened()
    return None if classroom is None or current.visitor().is_teacher else classroom.limits


def require(model: ModelConfig, training: TrainConfig) -> None:
    """Refuse a training that is too large for a class.

    Raises:
        ConfigError: The message says what is too large, and how much would do.
    """
    if limits := of_visitor():
        limits.require(model, training)


@contextmanager
def turn() -> Iterator[None]:
    """Let long work be started inside, if not too much of it is under way.

    Raises:
        ConfigError: As much is under way as may be.
    """
    limits = of_visitor()
    if limits is None:
        yield
        return
    with _one_at_a_time:
        everybodys = run_folders.seen_by(TEACHER, cached.GALLERY, cached.OWN).values()
        at_work = worked_on(path for path in everybodys if path.parent != cached.GALLERY)
        own = [path for path in at_work if path.parent == cached.own()]
        limits.require_turn(len(own), len(at_work))
        yield


@contextmanager
def starting(model: ModelConfig, training: TrainConfig) -> Iterator[None]:
    """Let a training be started inside, if the visitor may.

    Raises:
        ConfigError: It is too large, there is no room for it, or too many are under way.
    """
    require(model, training)
    if limits := of_visitor():
        limits.require_room(bytes_in(cached.own()), model)
    with turn():
        yield


def start(path: Path) -> None:
    """Start a prepared run's training, or go on with it, if the visitor may.

    Raises:
        ConfigError, RunError, OSError: It cannot be; the message says why.
    """
    found = cached.settings(path)
    with starting(found.model, found.training):
        process.start(path)


def room() -> int:
    """Return how many bytes an archive may hold unpacked.

    Raises:
        ConfigError: There is no room at all.
    """
    limits = of_visitor()
    if limits is None:
        return LARGEST
    used = bytes_in(cached.own())
    limits.require_room(used)
    return min(LARGEST, limits.disk_megabytes * MEGABYTE - used)


def upload_megabytes(usual: int) -> int:
    """Return how large a file may be that is handed to the app.

    Args:
        usual: Where nothing is limited.
    """
    limits = of_visitor()
    return usual if limits is None else min(usual, limits.upload_megabytes)
