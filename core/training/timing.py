"""Training time on this machine, measured on a few real steps in a separate process."""

import itertools
import json
import math
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from typing import IO

from core.config import ModelConfig
from core.config.training import TrainConfig
from core.jobs.process import bound_memory, make_way
from core.labels import longest_side
from core.model import build
from core.runs.run import load_run
from core.tasks import TASKS, Sample, Task
from core.tasks.corpus import Corpus
from core.tasks.length_filter import fitting
from core.training.batches import BATCHES_PER_CHUNK, training_batches
from core.training.loop import make_optimizer, train
from core.training.prepare import train_tokenizer
from core.training.presets import Preset
from core.training.rewards import reward_of

FEWEST, MOST = 3, 9
"""Fewest and most steps that are timed."""
SECONDS = 4.0
"""No further step is started after this time."""
LARGEST = 20_000
"""Maximum pairs to time with, evenly spaced among all, as all lengths count."""
REMEMBERED = 200
"""Number of trainings whose times are cached."""
INDIFFERENT = frozenset(
    (
        *("steps", "seed", "warmup", "cooldown", "learning_rate_factor", "label_smoothing"),
        *("adam_betas", "adam_eps", "patience", "evaluate_every", "checkpoint_every"),
        *("keep_checkpoints", "guide_weight", "made_share"),
    )
)
"""Settings that do not change the time of a step."""
_ROOT = Path(__file__).resolve().parents[2]


def seconds_per_step(task: Task, preset: Preset, start: Path | None = None) -> float:
    """Train for a few steps from the middle of the training, and return the time of one.

    The median of all steps but the first, plus a step's share of preparing batches.

    Args:
        task: The task.
        preset: Sizes and training settings.
        start: The run that it starts from; the lengths that it writes depend on its weights.

    Raises:
        ConfigError: A value is invalid.
        RunError: There is no such run.
    """
    config = preset.training
    if start is None:
        tokenizer = train_tokenizer(task, preset.vocab_size, config.seed, preset.model)
        model = build(preset.sized(tokenizer.vocab_size), config.seed)
    else:
        run = load_run(start)
        tokenizer, model = run.tokenizer, run.model
    fitted = fitting(task, tokenizer, longest_side(model.config, tokenizer))
    # In the middle, where quantities that grow during training have half their size.
    middle = config.steps // 2
    batches = training_batches(fitted, tokenizer, config, 0, model.config)
    # One-time work is not part of a step.
    first = next(batches)
    started = time.perf_counter()
    ahead = [first, *itertools.islice(batches, BATCHES_PER_CHUNK)]
    preparing = (time.perf_counter() - started) / BATCHES_PER_CHUNK
    longer = replace(config, steps=middle + len(ahead))
    taken: list[float] = []
    started = time.perf_counter()
    reward = reward_of(longer, tokenizer)
    for step in train(model, make_optimizer(model, longer), ahead, longer, middle, reward=reward):
        taken.append(step.seconds)
        late = time.perf_counter() - started > SECONDS
        if len(taken) >= MOST or (late and len(taken) >= FEWEST):
            break
    return median(taken[1:] or taken) + preparing


@dataclass(frozen=True, slots=True)
class _Try:
    """A process that times a training; its files have no names, so nothing is left behind."""

    key: str
    process: subprocess.Popen[bytes]
    output: IO[bytes]

    @classmethod
    def start(cls, key: str, task: Task, preset: Preset, start: Path | None) -> "_Try":
        """Start a process that times a training.

        Raises:
            OSError: There is no space for its files, or no process can be started.
        """
        output = TemporaryFile()  # noqa: SIM115  # closed when it is read
        with TemporaryFile() as request:
            request.write(_request(task, preset, start))
            request.seek(0)
            process = subprocess.Popen(
                [sys.executable, "-m", "core.training.timing"],
                cwd=_ROOT,
                stdin=request,
                stdout=output,
                stderr=subprocess.DEVNULL,
                # Ctrl-C in the app's terminal is not meant for it.
                start_new_session=True,
            )
        return cls(key, process, output)

    def seconds(self) -> float:
        """Return the output of a process that has ended; NaN if it failed."""
        with self.output as file:
            file.seek(0)
            try:
                return float(file.read())
            except ValueError:
                return math.nan


class Stopwatch:
    """Times one training after the other for all visitors of an app, and caches the results."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, float] = OrderedDict()
        self._trying: _Try | None = None
        self._lock = threading.Lock()

    def seconds(self, task: Task, preset: Preset, start: Path | None = None) -> float | None:
        """Return the time of a step once it has been measured.

        Returns:
            Seconds; None while it, or another training, is being timed; NaN if timing failed.
        """
        key = _key(task, preset, start)
        with self._lock:
            if self._trying is not None and self._trying.process.poll() is not None:
                self._remember(self._trying.key, self._trying.seconds())
                self._trying = None
            if key not in self._known and self._trying is None:
                try:
                    self._trying = _Try.start(key, task, preset, start)
                except OSError:
                    self._remember(key, math.nan)
            return self._known.get(key)

    def _remember(self, key: str, seconds: float) -> None:
        self._known[key] = seconds
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def _key(task: Task, preset: Preset, start: Path | None) -> str:
    """Return a key that is equal for trainings whose steps take equally long."""
    learned: tuple[object, ...] = (task.name,)
    if isinstance(task, Corpus):
        learned = (task.name, len(task.samples), task.samples[0], task.samples[-1])
    training = preset.training.to_dict()
    relevant = {name: value for name, value in training.items() if name not in INDIFFERENT}
    return repr((learned, preset.model, relevant, preset.vocab_size, start))


def _request(task: Task, preset: Preset, start: Path | None) -> bytes:
    """Return the input of the process: training settings and own pairs."""
    pairs = None
    if isinstance(task, Corpus):
        # All parts: the process splits them as a training would.
        samples = task.samples[:: max(1, -(-len(task.samples) // LARGEST))]
        pairs = [(each.source, each.target) for each in samples]
    request = {
        "task": task.name,
        "pairs": pairs,
        "model": preset.model.to_dict(),
        "training": preset.training.to_dict(),
        "vocab_size": preset.vocab_size,
        "start": None if start is None else str(start.resolve()),
    }
    return json.dumps(request).encode()


def _answer(request: bytes) -> float:
    """Return the seconds of a step of the training that `_request` wrote."""
    asked = json.loads(request)
    preset = Preset(
        ModelConfig.from_dict(asked["model"]),
        TrainConfig.from_dict(asked["training"]),
        asked["vocab_size"],
    )
    pairs = asked["pairs"]
    task = (
        TASKS[asked["task"]]
        if pairs is None
        else Corpus(asked["task"], [Sample(*pair) for pair in pairs])
    )
    return seconds_per_step(task, preset, asked["start"] and Path(asked["start"]))


if __name__ == "__main__":
    make_way()
    bound_memory()
    print(_answer(sys.stdin.buffer.read()))  # noqa: T201
