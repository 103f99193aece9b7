"""How long a training takes here: a few steps of it, done for real in a process of its own.

The process works in a folder that `request` fills; what it found stands there when it has ended.
"""

import itertools
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from core.config import ConfigError, ModelConfig
from core.config.training import TrainConfig
from core.files import write_atomically
from core.jobs.job import Files, Job
from core.jobs.process import main, working
from core.labels import longest_side
from core.messages import N_
from core.model import build
from core.runs.files import PAIRS
from core.runs.run import RunError, load_run
from core.tasks import CorpusError, Task, task_named
from core.tasks.corpus import Corpus
from core.tasks.length_filter import fitting
from core.tasks.pairs import as_tsv
from core.training.batches import BATCHES_PER_CHUNK, training_batches
from core.training.loop import make_optimizer, train
from core.training.prepare import train_tokenizer
from core.training.presets import Preset
from core.training.rewards import reward_of

TIMING = Job("core.training.timing", N_("trying a few steps"), Files.named("timing"))
WANTED, FOUND = "wanted.json", "found.json"
FEWEST, MOST = 3, 9
"""Steps: at least so many, and no more than this."""
SECONDS = 4.0
"""No further step is begun after so long."""
LARGEST = 20_000
"""Of more pairs so many are tried, evenly spread: the lengths of all of them count."""


def request(folder: Path, task: Task, preset: Preset, start: Path | None = None) -> None:
    """Write what is to be tried into an empty folder; `TIMING.start` then tries it.

    Args:
        folder: For this alone.
        task: From `TASKS`, or own pairs.
        preset: Sizes, and how it would be trained.
        start: The run that it would begin with; None for fresh weights.

    Raises:
        OSError: The folder cannot be written to.
    """
    name = task.name
    if isinstance(task, Corpus):
        # All of them: the process splits them as a training would.
        name, samples = PAIRS, task.samples
        kept = samples[:: max(1, -(-len(samples) // LARGEST))]
        write_atomically(folder / PAIRS, as_tsv(kept))
    asked = {
        "task": name,
        "model": preset.model.to_dict(),
        "training": preset.training.to_dict(),
        "vocab_size": preset.vocab_size,
        "start": None if start is None else str(start.resolve()),
    }
    write_atomically(folder / WANTED, json.dumps(asked).encode())


def found(folder: Path) -> float | None:
    """Return the seconds of a step, or None where they are not known, or not yet."""
    try:
        return float(json.loads((folder / FOUND).read_text(encoding="utf-8"))["seconds"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def seconds_per_step(task: Task, preset: Preset, start: Path | None = None) -> float:
    """Train for a few steps, from the middle of the training on, and return how long one takes.

    The median of the steps but the first, with a step's share of what preparing batches takes.

    Args:
        task: What is learned.
        preset: Sizes, and how it is trained.
        start: The run that it begins with: how long its own words are, trained weights decide.

    Raises:
        ConfigError: A value cannot be.
        RunError: There is no such run.
    """
    config = preset.training
    if start is None:
        tokenizer = train_tokenizer(task, preset.vocab_size, config.seed, preset.model)
        model = build(preset.sized(tokenizer.vocab_size), config.seed)
    else:
        begun = load_run(start)
        tokenizer, model = begun.tokenizer, begun.model
    fitted = fitting(task, tokenizer, longest_side(model.config, tokenizer))
    # In the middle: what grows in the course of a training has half its size there.
    middle = config.steps // 2
    batches = training_batches(fitted, tokenizer, config, 0, model.config)
    # What is done once for all batches is no part of a step.
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


def _tried(folder: Path) -> Iterator[None]:
    """Try what the folder wants, and write what was found."""
    with working(TIMING, folder):
        asked = json.loads((folder / WANTED).read_text(encoding="utf-8"))
        preset = Preset(
            ModelConfig.from_dict(asked["model"]),
            TrainConfig.from_dict(asked["training"]),
            int(asked["vocab_size"]),
        )
        start = asked["start"] and Path(asked["start"])
        seconds = seconds_per_step(task_named(asked["task"], folder), preset, start)
        write_atomically(folder / FOUND, json.dumps({"seconds": seconds}).encode())
        yield


if __name__ == "__main__":
    sys.exit(main(TIMING, _tried, mendable=(ConfigError, CorpusError, RunError)))
