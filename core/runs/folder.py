"""A folder of runs: names, new folders, what a training writes, renaming and deleting.

`core.runs.run` says what is in the folder of one run and reads it.
"""

import errno
import itertools
import json
import os
import platform
import secrets
import shutil
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy
import regex
import safetensors
import tokenizers
import torch
from filelock import FileLock

from ..files import write_atomically
from ..jobs.job import Files, Job, is_held, is_worked_on
from ..jobs.process import Work, locked
from ..messages import N_, Message
from ..model import Transformer
from .checkpoint import (
    BEST,
    CHECKPOINTS,
    LIVE,
    SNAPSHOTS,
    newest_checkpoint,
    save_rounded,
    save_state,
    save_weights,
    step_of,
    weights_file,
    weights_in,
)
from .files import METRICS, RunError, about, is_run
from .metrics import read_rows

LONGEST = 60
"""Maximum letters of a name."""
_NAME = regex.compile(r"[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd} ._-]*(?<!\.)")


def checked_name(text: str) -> str:
    """Return a text as the name of a run: stripped, and in composed form (NFC).

    Letters and digits of any script, and between them hyphens, underscores, dots and spaces.

    >>> checked_name(" été 2 ")
    'été 2'

    Raises:
        RunError: It is not a valid folder name on every system; the message says why.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise RunError("a run needs a name")
    if len(name) > LONGEST:
        raise RunError("the name has {n} letters; {most} are the most", n=len(name), most=LONGEST)
    if not _NAME.fullmatch(name):
        raise RunError(
            "{name} is no name of a run: it may have letters, digits, spaces and - _ . , begins "
            "with a letter or digit, and does not end with a dot",
            name=repr(name),
        )
    return name


def free_name(parent: Path, name: str) -> str:
    """Return an unused name in a folder: `name`, name-2, name-3 and so on."""
    taken = {same(path.name) for path in parent.iterdir()} if parent.is_dir() else set()
    numbered = (_numbered(name, number) for number in itertools.count(2))
    return next(each for each in itertools.chain([name], numbered) if same(each) not in taken)


def same(name: str) -> str:
    """Return a key that is equal for names that some system takes for one: A and a, é and é."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _numbered(name: str, number: int) -> str:
    ending = f"-{number}"
    return name[: LONGEST - len(ending)].rstrip("-_. ") + ending


INCOMING = ".incoming-"
"""Prefix of hidden folders that are to become runs."""
DELETED = ".deleted-"
"""Prefix of hidden folders that are being removed; 16 hexadecimal digits follow."""


@contextmanager
def incoming_folder(parent: Path) -> Iterator[Path]:
    """Yield a hidden folder that is to become a run; it is removed unless it was renamed.

    Leftovers of killed processes are removed before.
    """
    parent.mkdir(parents=True, exist_ok=True)
    clear_left_over(parent)
    room = parent / f"{INCOMING}{secrets.token_hex(4)}"
    # The system keeps the lock as long as this process lives: others see that it is at work.
    with FileLock(_lock_of(room)) as lock:
        try:
            room.mkdir(0o700)
            yield room
        finally:
            shutil.rmtree(room, ignore_errors=True)
            # On a disk that takes no more changes it stays: the run is there all the same.
            with suppress(OSError):
                Path(lock.lock_file).unlink()


def _lock_of(room: Path) -> Path:
    return room.with_name(f"{room.name}.lock")


def clear_left_over(parent: Path) -> None:
    """Remove leftovers of failed deletions and killed processes from a folder of runs."""
    # A run may stand beside anything: only names that were made here.
    for path in parent.glob(DELETED + "[0-9a-f]" * 16):
        _remove(path)
    for path in parent.glob(INCOMING + "[a-z0-9_]" * 8):
        if not is_held(_lock_of(path), stays=False):
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_symlink():
        # The target of a link is not ours.
        path.unlink(missing_ok=True)
    else:
        shutil.rmtree(path, ignore_errors=True)


TRAINING = Job(
    "core.training",
    N_("training this run"),
    Files(
        lock=".lock",
        progress="status.json",
        log="train.log",
        request="request",
        watched="watched",
        lock_stays=True,
    ),
    error=RunError,
)


def versions() -> dict[str, str]:
    """Return the versions of software that a run's numbers depend on."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "tokenizers": tokenizers.__version__,
        "safetensors": safetensors.__version__,
        "numpy": numpy.__version__,
    }


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a hidden folder that is renamed to its path once the context ends without an error.

    Raises:
        FileExistsError: The name is taken.
    """
    taken = FileExistsError(f"{path} exists already")
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise taken
    with incoming_folder(path.parent) as room:
        yield room
        # A temporary folder is its owner's alone; a run is for all who may read the others.
        room.chmod(0o755)
        try:
            if path.exists():
                path.rmdir()
            os.rename(room, path)
        except OSError as error:
            if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                # Another process took the name meanwhile.
                raise taken from error
            raise


class RunFolder:
    """The folder of a running training; every file is written completely or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._work: Work | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the folder against other trainings; the lock ends with the process, even if killed.

        Raises:
            RunError: Another process trains this run, or there is no such folder.
        """
        with locked(TRAINING, self.path) as self._work:
            try:
                yield
            finally:
                self._work = None

    def checkpoint(
        self,
        model: Transformer,
        optimizer: torch.optim.Optimizer,
        step: int,
        words: set[str],
        keep: int = 1,
    ) -> None:
        """Write a checkpoint to resume from; some weights of earlier ones are kept."""
        self.write_words(words)
        with self._room(CHECKPOINTS) as room:
            weights = room / weights_file(step)
            # The weights come last: a checkpoint counts from the moment that they are there.
            save_state(optimizer, weights.with_suffix(".state.safetensors"))
            save_weights(model, weights)
        *before, _newest = weights_in(self.path, CHECKPOINTS)
        for number, former in enumerate(reversed(before), start=1):
            # The weights go first: an archive takes a state only beside its weights.
            if number >= keep:
                former.unlink()
            former.with_suffix(".state.safetensors").unlink(missing_ok=True)
        self._drop_former_best()

    def snapshot(self, model: Transformer, step: int, words: set[str]) -> None:
        """Save the current weights, rounded, to look at later."""
        self.write_words(words)
        with self._room(SNAPSHOTS) as room:
            save_rounded(model, room / weights_file(step))

    def keep_best(self, model: Transformer, step: int) -> None:
        """Save the best weights; earlier ones are removed once a checkpoint reaches this step."""
        with self._room(BEST) as room:
            save_weights(model, room / weights_file(step))
        self._drop_former_best()

    def keep_live(self, model: Transformer, step: int, words: set[str]) -> None:
        """Write weights for watching pages; the previous ones stay while a page may read them."""
        self.write_words(words)
        with self._room(LIVE) as room:
            save_weights(model, room / weights_file(step))
        for before in weights_in(self.path, LIVE)[:-2]:
            before.unlink(missing_ok=True)

    def drop_live(self) -> None:
        """Remove the weights for watching pages."""
        for weights in weights_in(self.path, LIVE):
            weights.unlink(missing_ok=True)

    def clear_torn(self) -> None:
        """Remove files that a killed training left half written or unremoved."""
        checkpoints = self.path / CHECKPOINTS
        whole = set(weights_in(self.path, CHECKPOINTS))
        if (newest := newest_checkpoint(self.path)) is not None:
            whole.add(newest.with_suffix(".state.safetensors"))
        torn = [file for file in self.path.glob(".*") if file.name != TRAINING.files.lock]
        torn += [file for name in (SNAPSHOTS, BEST, LIVE) for file in (self.path / name).glob(".*")]
        for file in (*torn, *(set(checkpoints.glob("*")) - whole)):
            if file.is_file():
                file.unlink(missing_ok=True)

    def forget_after(self, step: int) -> None:
        """Remove metrics and weights of later steps before resuming from a step."""
        if (self.path / METRICS).exists():
            kept = [json.dumps(row) for row in read_rows(self.path) if row["step"] <= step]
            write_atomically(self.path / METRICS, "".join(f"{row}\n" for row in kept).encode())
        for folder in (SNAPSHOTS, BEST, LIVE):
            for weights in weights_in(self.path, folder):
                if step_of(weights) > step:
                    weights.unlink(missing_ok=True)

    def write_words(self, words: Iterable[str]) -> None:
        """Write the source words that training saw."""
        self._write("words.txt", "\n".join(sorted(words)).encode())

    def add_metrics(self, record: Mapping[str, Any]) -> None:
        """Append one measured step."""
        with self._room() as room, (room / METRICS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def write_status(self, state: str, step: int, message: str = "") -> None:
        """Write the state of the training, and why it failed if it did."""
        with self._room() as room:
            TRAINING.write_progress(room, state, {"step": step}, message)

    def write_json(self, name: str, content: Mapping[str, Any]) -> None:
        """Write one JSON file."""
        self._write(name, (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode())

    def _write(self, name: str, content: bytes) -> None:
        with self._room() as room:
            write_atomically(room / name, content)

    @contextmanager
    def _room(self, folder: str = "") -> Iterator[Path]:
        """Yield a folder to write into, which is certainly that of the locked run."""
        self._check()
        try:
            if folder:
                (self.path / folder).mkdir(exist_ok=True)
            yield self.path / folder
        except FileNotFoundError:
            # Removed between the check and the writing.
            self._check()
            raise

    def _drop_former_best(self) -> None:
        """Remove best weights, except those needed if training goes back to its checkpoint."""
        checkpoint = newest_checkpoint(self.path)
        reached = 0 if checkpoint is None else step_of(checkpoint)
        sure = [file for file in weights_in(self.path, BEST) if step_of(file) <= reached]
        for former in sure[:-1]:
            former.unlink(missing_ok=True)

    def _check(self) -> None:
        """Refuse to write into a folder that replaced the locked one."""
        if self._work is not None:
            self._work.check()


def rename_run(path: Path, name: str) -> Path:
    """Give a run another name, and return its new folder.

    Raises:
        RunError: The name is invalid or taken, a process works on the run, or there is no run.
    """
    target = path.with_name(checked_name(name))
    with _at_rest(path):
        # An empty folder would be replaced without a word, and so would a folder whose name
        # differs in the case of letters, on a disk that takes the two for one.
        others = (each.name for each in path.parent.iterdir() if each.name != path.name)
        if same(target.name) in map(same, others):
            raise RunError("there is a {name} already", name=repr(target.name))
        # While the lock is held, so that no training begins under the old name: the lock is on
        # the file, not on its name, and moves with the folder.
        os.rename(path, target)
    return target


def delete_run(path: Path) -> None:
    """Delete a run: it leaves the list of runs at once, or not at all.

    Files that cannot be removed now stay hidden, and are removed with the next run.

    Raises:
        RunError: A process works on the run, or there is none.
    """
    with _at_rest(path):
        os.rename(path, path.with_name(DELETED + secrets.token_hex(8)))
    clear_left_over(path.parent)


@contextmanager
def _at_rest(path: Path) -> Iterator[None]:
    """Lock a run that no process works on."""
    if not is_run(path):
        raise about(path, Message("there is no such run"))
    if TRAINING.at_work(path):
        raise RunError(TRAINING.elsewhere(path))
    if is_worked_on(path):
        raise about(path, Message("another process is at work on this run"))
    with RunFolder(path).held():
        yield
