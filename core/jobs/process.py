"""What the process of a `Job` does: it holds its folder, writes its progress, and ends.

A module of such work is small. A page calls `AVERAGING.start(folder, 5)`, and the rest is here:

    AVERAGING = Job("core.averaging", "averaging this run's weights", Files.named("average"))

    def averages(folder: Path, n: str) -> Iterator[Path]:
        with working(AVERAGING, folder) as work:
            for weights in work.counted(newest(folder, int(n)), int(n)):
                yield add(weights)
            store(folder)

    if __name__ == "__main__":
        sys.exit(main(AVERAGING, averages))
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout

from ..limits import limit_process
from ..messages import Message, error_text
from .job import Job, Wish

LAST = 19
NICENESS = int(os.environ.get("JOB_NICENESS", str(LAST)))
"""Visitors come first; from 0, where all processes count alike, to `LAST`."""
MEGABYTES = int(os.environ.get("JOB_MEGABYTES", "0"))
"""Memory that a process may take, on Linux; 0 for as much as there is."""
AUTOGROUP = Path("/proc/self/autogroup")
"""The weight of a process's session beside others, on Linux (`man 7 sched`)."""
SECONDS_TO_HOLD = 1.0
"""How long to retry a lock: another process may hold it briefly just to test it."""

Item = TypeVar("Item")


class _AskedToEndError(Exception):
    """Ends work on request."""

    def __init__(self, wish: Wish) -> None:
        self.wish = wish


class Work:
    """A process's work on the folder that it has locked."""

    def __init__(self, job: Job, folder: Path) -> None:
        self.job, self.folder = job, folder
        self._done = self._of = 0
        self._identity = self._lock_identity()

    def counted(self, items: Iterable[Item], of: int) -> Iterator[Item]:
        """Yield the parts of the work, and write after each how many are done.

        If a page asks for an end, the work ends after the current part.
        """
        self.write_progress(0, of)
        for number, item in enumerate(items, 1):
            self.write_progress(number, of)
            yield item
            wish = self.job.asked(self.folder)
            if wish is not None and number < of:
                raise _AskedToEndError(wish)

    def write_progress(self, done: int, of: int, state: str = "running") -> None:
        """Write how many parts of the work are done."""
        self.check()
        self._done, self._of = done, of
        self.job.write_progress(self.folder, state, {"done": done, "of": of})

    def end(self, wish: Wish | None = None) -> None:
        """Remove all files of the work but its result, or, if it is only paused, its progress.

        Raises:
            Exception: The job's `error`: the folder is gone.
        """
        self.check()
        files = self.job.files
        if wish == "pause":
            self.write_progress(self._done, self._of, "paused")
        else:
            (self.folder / files.progress).unlink(missing_ok=True)
        for name in (files.request, files.watched, files.log):
            (self.folder / name).unlink(missing_ok=True)

    def fail(self, error: BaseException) -> None:
        """Write why the work failed, if that is still possible."""
        progress = self.job.progress(self.folder)
        if self.is_there():
            with suppress(OSError):
                self.job.write_progress(self.folder, "failed", progress, reason(error))

    def is_there(self) -> bool:
        """Say whether the locked folder is still there and was not replaced by another."""
        try:
            return self._lock_identity() == self._identity
        except OSError:
            return False

    def check(self) -> None:
        """Refuse to write into a folder that replaced the locked one.

        Raises:
            Exception: The job's `error`.
        """
        if not self.is_there():
            raise self.job.error(
                Message(
                    "{path}: the folder was removed or replaced while a process was {doing}",
                    path=self.folder,
                    doing=Message(self.job.doing),
                )
            )

    def _lock_identity(self) -> tuple[int, int]:
        lock = (self.folder / self.job.files.lock).stat()
        return lock.st_dev, lock.st_ino


@contextmanager
def locked(job: Job, folder: Path) -> Iterator[Work]:
    """Lock a folder against the same work; the lock ends with the process, even if it is killed.

    Raises:
        Exception: The job's `error`: another process is at it, or there is no such folder.
        OSError: The folder cannot be written to.
    """
    # The lock would make the folder.
    job.require(folder)
    try:
        with FileLock(folder / job.files.lock, timeout=SECONDS_TO_HOLD):
            work = Work(job, folder)
            try:
                yield work
            finally:
                if not job.files.lock_stays and work.is_there():
                    # While it is held: who finds a lock whose file is gone looks for it again.
                    with suppress(OSError):
                        (folder / job.files.lock).unlink(missing_ok=True)
    except Timeout as error:
        raise job.error(job.elsewhere(folder)) from error


@contextmanager
def working(job: Job, folder: Path) -> Iterator[Work]:
    """Lock a folder while working on it, and record how that ended; a requested end is no error.

    Raises:
        Exception: The job's `error`: another process is at it, or the folder is gone.
        OSError: The folder cannot be written to.
    """
    with locked(job, folder) as work:
        try:
            yield work
        except _AskedToEndError as asked:
            work.end(asked.wish)
        except (GeneratorExit, KeyboardInterrupt, SystemExit):
            raise
        # Some libraries raise a BaseException when they give up.
        except BaseException as error:
            work.fail(error)
            raise
        else:
            work.end()


def make_way() -> None:
    """Lower this process's priority."""
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    # Linux may weigh whole sessions against each other, whatever their processes say, and a job
    # has a session of its own.
    with suppress(OSError):
        AUTOGROUP.write_text(str(NICENESS))
    if NICENESS == LAST:
        # Else Linux lets it finish its few milliseconds whenever another process wakes, and an
        # answer wakes a hundred times.
        with suppress(OSError, AttributeError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def bound_memory() -> None:
    """Limit the memory of this process, so that others do not run short of it."""
    if MEGABYTES:
        limit_process(MEGABYTES * 1_000_000)


def reason(error: BaseException) -> str:
    """Return why work failed; the memory limit, if there is one and memory was refused."""
    refused = isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and any(sign in str(error) for sign in _NO_MEMORY)
    )
    if MEGABYTES and refused:
        return Message(
            "more than {most} MB of memory are needed: a smaller batch, shorter texts, fewer "
            "layers or fewer heads take less",
            most=MEGABYTES,
        )
    return error_text(error) or type(error).__name__


_NO_MEMORY = ("can't allocate memory", "not enough memory", "bad_alloc", "could not create a")
"""Parts of the messages of torch and its libraries when memory is refused."""


def main(
    job: Job,
    work: Callable[..., Iterable[object]],
    arguments: Sequence[str] | None = None,
    mendable: tuple[type[Exception], ...] = (),
) -> int:
    """Work to the end: what the process that `Job.start` starts does.

    Args:
        job: The kind of work.
        work: Takes the folder and the other arguments, and first holds the folder.
        arguments: By default those of the command line.
        mendable: Errors that are printed in one line, as `OSError` and the job's own are.

    Returns:
        The exit status: 0, or 2 where a user has to mend something.
    """
    folder, *others = sys.argv[1:] if arguments is None else arguments
    expected: tuple[type[Exception], ...] = (OSError, job.error, *mendable)
    make_way()
    bound_memory()
    try:
        for _ in work(Path(folder), *others):
            pass
    except expected as error:
        print(f"error: {error_text(error)}", file=sys.stderr)  # noqa: T201
        return 2
    return 0
