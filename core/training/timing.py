"""The time that a training's steps take on this machine, found by taking a few of them.

They are taken in a process of their own, which has the threads and the priority of a training.
"""

import pickle
import subprocess
import sys
import tempfile
import time
from itertools import islice
from statistics import fmean

from ..batch import Batch
from ..device import best_device
from ..installed import ROOT
from ..jobs.process import bound_memory, make_way
from ..labels import longest_side
from ..model.building import build
from ..tasks import Task
from ..tasks.length_filter import fitting
from ..tokenizer.tokenizer import Tokenizer
from .batches import BATCHES_PER_CHUNK, noting_words, training_batches
from .loop import make_optimizer, train
from .presets import Preset

SECONDS = 3.0
"""After which no further step is taken."""


def start_timing(task: Task, tokenizer: Tokenizer, preset: Preset) -> subprocess.Popen[bytes]:
    """Start a process that prints `seconds_a_step` of these arguments; its caller ends it."""
    with tempfile.TemporaryFile() as file:
        pickle.dump((task, tokenizer, preset), file)
        file.seek(0)
        return subprocess.Popen(
            [sys.executable, "-m", __name__],
            cwd=ROOT,
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # The priority is that of a whole session.
            start_new_session=True,
        )


def seconds_a_step(task: Task, tokenizer: Tokenizer, preset: Preset) -> float:
    """Return the mean time of a training step, making its batch included, evaluations not.

    Args:
        task: What is learned.
        tokenizer: The model's tokenizer.
        preset: Model and training settings; the objective is the likelihood.
    """
    config = preset.training
    model = build(preset.sized(tokenizer.vocab_size), config.seed).to(best_device())
    task = fitting(task, tokenizer, longest_side(model.config, tokenizer))
    # In the middle, where half of the words that are to be sampled in the end are sampled.
    first_step = config.steps // 2
    drawn = training_batches(task, tokenizer, config, first_step, model.config)
    drawn = noting_words(drawn, tokenizer, set())
    # Own pairs are tokenised before the first batch, once in a training.
    warm_up = next(drawn)
    started = time.perf_counter()
    batches = sorted(islice(drawn, BATCHES_PER_CHUNK), key=_size)
    making = (time.perf_counter() - started) / len(batches)
    # Any first few of them are about as long as all.
    mixed = [batch for first in (1, 2, 0, 3) for batch in batches[first::4]]
    steps = train(model, make_optimizer(model, config), [warm_up, *mixed], config, first_step)
    sizes, seconds = [_size(warm_up)], [next(steps).seconds]
    for batch, step in zip(mixed, steps, strict=False):
        sizes.append(_size(batch))
        seconds.append(step.seconds)
        if sum(seconds) > SECONDS:
            break
    # The first one also sets up what later ones find.
    timed = slice(min(1, len(seconds) - 1), None)
    return making + fmean(map(_size, batches)) * sum(seconds[timed]) / sum(sizes[timed])


def _size(batch: Batch) -> int:
    return batch.source_BS.numel() + batch.fed_BT.numel()


if __name__ == "__main__":
    make_way()
    bound_memory()
    print(seconds_a_step(*pickle.load(sys.stdin.buffer)))  # noqa: S301, T201
