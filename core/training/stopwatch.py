"""How long trainings would take: one after another is tried, and what was found is remembered.

Each try has a temporary folder, whose lock its app holds as long as it lives: by this a folder that
a killed app has left is told from one in use.
"""

import math
import shutil
import tempfile
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock

from core.tasks import Task
from core.tasks.corpus import Corpus
from core.training.presets import Preset
from core.training.timing import TIMING, found, request

FOLDERS = "steps-"
"""How the names of the temporary folders begin."""
OWNER = "stopwatch.lock"
SECONDS_NEW = 60.0
"""A folder that is no older may not be locked yet."""
REMEMBERED = 200
"""So many tries are remembered."""
INDIFFERENT = frozenset(
    {
        "steps",
        "seed",
        "warmup",
        "cooldown",
        "learning_rate_factor",
        "label_smoothing",
        "adam_betas",
        "adam_eps",
        "patience",
        "evaluate_every",
        "checkpoint_every",
        "keep_checkpoints",
        "guide_weight",
        "made_share",
    }
)
"""Settings of a training that a step takes no longer for."""


@dataclass(frozen=True, slots=True)
class _Try:
    """A training that is being tried."""

    key: str
    folder: TemporaryDirectory[str]
    lock: FileLock

    @property
    def path(self) -> Path:
        """Where it is tried."""
        return Path(self.folder.name)

    def end(self) -> None:
        """Leave nothing behind."""
        self.lock.release()
        self.folder.cleanup()


class Stopwatch:
    """Tries trainings, for all visitors of an app; makes away with what killed apps have left."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, float] = OrderedDict()
        self._trying: _Try | None = None
        self._lock = threading.Lock()
        for folder in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*"):
            if _is_left_over(folder):
                shutil.rmtree(folder, ignore_errors=True)

    def seconds(self, task: Task, preset: Preset, start: Path | None = None) -> float | None:
        """Return how long a step takes, once that was tried.

        Returns:
            Seconds; None as long as it is being tried, or another training is; NaN where it
            could not be tried.
        """
        key = _key(task, preset, start)
        with self._lock:
            self._take_over()
            if key not in self._known and self._trying is None:
                folder = TemporaryDirectory(prefix=FOLDERS, ignore_cleanup_errors=True)
                # It is let go of by whichever thread sees the end.
                lock = FileLock(Path(folder.name) / OWNER, timeout=0, thread_local=False)
                begun = _Try(key, folder, lock)
                try:
                    lock.acquire()
                    request(begun.path, task, preset, start)
                    TIMING.start(begun.path)
                except OSError:
                    begun.end()
                    self._remember(key, math.nan)
                else:
                    self._trying = begun
            return self._known.get(key)

    def _take_over(self) -> None:
        """Note what the try has found, if it has ended."""
        if self._trying is None or TIMING.at_work(self._trying.path):
            return
        seconds = found(self._trying.path)
        self._remember(self._trying.key, math.nan if seconds is None else seconds)
        self._trying.end()
        self._trying = None

    def _remember(self, key: str, seconds: float) -> None:
        self._known[key] = seconds
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def _is_left_over(folder: Path) -> bool:
    """Say whether the app that made a folder has ended, and the process that tried too."""
    owner = folder / OWNER
    try:
        if time.time() - owner.stat().st_mtime < SECONDS_NEW:
            return False
        with FileLock(owner, timeout=0):
            return not TIMING.at_work(folder)
    except OSError:
        # Somebody holds it, or it is another's, or it is none of these folders.
        return False


def _key(task: Task, preset: Preset, start: Path | None) -> str:
    """Return what two trainings have in common whose steps take equally long."""
    learned: tuple[object, ...] = (task.name,)
    if isinstance(task, Corpus):
        learned = (task.name, len(task.samples), task.samples[0], task.samples[-1])
    training = {
        name: value for name, value in preset.training.to_dict().items() if name not in INDIFFERENT
    }
    return repr((learned, preset.model, training, preset.vocab_size, start))
