"""What a visitor of a class may have of the machine; the one user and a teacher may have all."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from filelock import FileLock

from core.config import ModelConfig
from core.runs.run import RunError
from core.runs.unpack import LARGEST
from core.train_config import TrainConfig
from core.training import line, process
from core.training.limits import MEGABYTE, Limits, bytes_in, worked_on
from pages.classroom import current, settings
from pages.classroom.visitors import CLASS, TEACHER
from pages.frame import cached, run_folders

LOCK = ".turn.lock"
"""Held, in the folder of the class, by whoever decides who may start."""
_one_at_a_time = threading.Lock()


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
    with _deciding():
        at_work, waiting = under_way()
        limits.require_turn(_n_own(at_work, waiting), len(at_work))
        yield


@contextmanager
def starting(
    model: ModelConfig, training: TrainConfig, *, begins_with_run: bool = False
) -> Iterator[Callable[[Path], None]]:
    """Hand over what starts a prepared run's training, or puts it in line, if the visitor may.

    Args:
        model: What is trained.
        training: How.
        begins_with_run: Whether it keeps the weights of another run, with which it begins.

    Raises:
        ConfigError: It is too large, there is no room for it, or too many are under way.
    """
    limits = of_visitor()
    if limits is None:
        yield process.start
        return
    limits.require(model, training)
    n_kept = training.keep_checkpoints + begins_with_run
    limits.require_room(bytes_in(cached.own()), model, n_kept, _used_by_all())
    with _deciding():
        at_work, waiting = under_way()
        waits = limits.waits(_n_own(at_work, waiting), len(at_work), len(waiting))
        yield partial(line.enter, others=_everybodys()) if waits else process.start


def start(path: Path) -> None:
    """Start a prepared run's training or go on with it, or put it in line, if the visitor may.

    Raises:
        ConfigError, RunError, OSError: It cannot be; the message says why.
    """
    found = cached.settings(path)
    with starting(found.model, found.training) as begin:
        begin(path)


def advance(limits: Limits) -> None:
    """Start those who wait in line, as long as not too many are at work.

    Raises:
        OSError: A folder cannot be written to.
    """
    if not line.in_line(_everybodys()):
        return
    with _deciding():
        at_work, waiting = under_way()
        for path in waiting[: max(0, limits.at_once - len(at_work))]:
            line.leave(path)
            # Whoever wonders why it has not begun tries again, and is told.
            with suppress(RunError):
                process.start(path)


@contextmanager
def _deciding() -> Iterator[None]:
    """Let one after the other decide: two who start at once are not both the last with room.

    Several processes may serve a class, on one machine or on several that share the folder.
    """
    folder = cached.OWN / CLASS
    folder.mkdir(parents=True, exist_ok=True)
    with _one_at_a_time, FileLock(folder / LOCK):
        yield


def place(path: Path) -> int:
    """Return a run's place in line, from 1; 0 where it does not wait."""
    # Without a class nobody waits.
    waiting = line.in_line(_everybodys()) if settings.opened() else []
    return waiting.index(path) + 1 if path in waiting else 0


def _everybodys() -> list[Path]:
    found = run_folders.seen_by(TEACHER, cached.GALLERY, cached.OWN).values()
    return [path for path in found if path.parent != cached.GALLERY]


def under_way() -> tuple[list[Path], list[Path]]:
    """Return the runs on which somebody works, and those that wait in line, in order."""
    runs = _everybodys()
    return worked_on(runs), line.in_line(runs)


def _n_own(*lists: list[Path]) -> int:
    own = cached.own()
    return sum(path.parent == own for each in lists for path in each)


def room() -> int:
    """Return how many bytes an archive may hold unpacked.

    Raises:
        ConfigError: There is no room at all.
    """
    limits = of_visitor()
    if limits is None:
        return LARGEST
    used = bytes_in(cached.own())
    of_all = _used_by_all()
    limits.require_room(used, of_all=of_all)
    left = (
        limits.disk_megabytes * MEGABYTE - used,
        limits.disk_megabytes_of_all * MEGABYTE - of_all,
    )
    return min(LARGEST, *left)


def _used_by_all() -> int:
    return bytes_in(cached.OWN / CLASS)


def upload_megabytes(usual: int) -> int:
    """Return how large a file may be that is handed to the app.

    Args:
        usual: Where nothing is limited.
    """
    limits = of_visitor()
    return usual if limits is None else min(usual, limits.upload_megabytes)
