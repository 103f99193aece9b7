"""How long a training would take: a few steps tried in a process of its own, one try at a time."""

import math
import threading
from collections import OrderedDict
from pathlib import Path
from tempfile import TemporaryDirectory

from core.tasks import Task
from core.tasks.corpus import Corpus
from core.training.presets import Preset
from core.training.timing import TIMING, found, wanted

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


class Stopwatch:
    """Tries trainings, for all visitors of the app."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, float] = OrderedDict()
        self._trying: tuple[str, TemporaryDirectory[str]] | None = None
        self._lock = threading.Lock()

    def seconds(self, task: Task, preset: Preset) -> float | None:
        """Return how long a step takes, once that was tried.

        Returns:
            Seconds; None as long as it is being tried, or another training is; NaN where it
            could not be tried.
        """
        key = _key(task, preset)
        with self._lock:
            self._take_over()
            if key not in self._known and self._trying is None:
                folder = TemporaryDirectory(prefix="steps-", ignore_cleanup_errors=True)
                try:
                    wanted(Path(folder.name), task, preset)
                    TIMING.start(Path(folder.name))
                except OSError:
                    self._remember(key, math.nan)
                else:
                    self._trying = (key, folder)
            return self._known.get(key)

    def _take_over(self) -> None:
        """Note what the try has found, if it has ended."""
        if self._trying is None:
            return
        key, folder = self._trying
        if TIMING.at_work(Path(folder.name)):
            return
        seconds = found(Path(folder.name))
        self._remember(key, math.nan if seconds is None else seconds)
        folder.cleanup()
        self._trying = None

    def _remember(self, key: str, seconds: float) -> None:
        self._known[key] = seconds
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


_OF_THE_APP = Stopwatch()


def stopwatch() -> Stopwatch:
    """Return the one of this app."""
    return _OF_THE_APP


def _key(task: Task, preset: Preset) -> str:
    """Return what two trainings have in common whose steps take equally long."""
    learned: tuple[object, ...] = (task.name,)
    if isinstance(task, Corpus):
        learned = (task.name, len(task.samples), task.samples[0], task.samples[-1])
    training = {
        name: value for name, value in preset.training.to_dict().items() if name not in INDIFFERENT
    }
    return repr((learned, preset.model, training, preset.vocab_size))
