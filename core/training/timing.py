"""The time that a training's steps take on this machine, found by taking a few of them.

They are taken in a process of their own, which has the threads and the priority of a training.
"""

import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from statistics import fmean

from ..batch import Batch
from ..device import best_device
from ..installed import ROOT
from ..jobs.process import bound_memory, make_way
from .batches import BATCHES_PER_CHUNK
from .loop import train
from .trainer import begin
from .workers import ALONE

SECONDS = 3.0
"""After which no further step is taken."""


def start_timing(path: Path) -> subprocess.Popen[bytes]:
    """Start a process that prints `seconds_a_step` of a run folder; its caller ends it."""
    return subprocess.Popen(
        [sys.executable, "-m", __name__, str(path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # The priority is that of a whole session.
        start_new_session=True,
    )


def seconds_a_step(path: Path) -> float:
    """Return the mean time of a training step, making its batch included, evaluations not.

    Args:
        path: A run folder whose training has not begun; nothing is written.
    """
    training = begin(path, ALONE, best_device())
    # Own pairs are tokenised before the first batch, once in a training.
    warm_up = next(training.batches)
    started = time.perf_counter()
    batches = sorted(islice(training.batches, BATCHES_PER_CHUNK), key=_size)
    making = (time.perf_counter() - started) / len(batches)
    # Any first few of them are about as long as all.
    mixed = [batch for first in (1, 2, 0, 3) for batch in batches[first::4]]
    # In the middle, where half of the words that are to be sampled in the end are sampled.
    middle = training.config.steps // 2
    model, optimizer, config = training.model, training.optimizer, training.config
    steps = train(model, optimizer, [warm_up, *mixed], config, middle, reward=training.reward)
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
    print(seconds_a_step(Path(sys.argv[1])))  # noqa: T201
