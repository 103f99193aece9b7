"""How much a training learns, and how long it takes on this machine, before it has begun."""

import itertools
import os
import random
import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from core.batch import token_counts
from core.config import ModelConfig
from core.model import count_parameters
from core.model.description import describe
from core.tasks import Task
from core.training.prepare import train_tokenizer
from core.training.presets import PRESETS, Preset

WIDTH = 512
"""Of the square matrices by which the machine is measured."""
OPERATIONS_EACH = 4.5e-4
"""Seconds that a sublayer takes forward and backward beside its products, for a batch of any size:
measured at the smallest preset."""
PASSES = 3
"""The backward pass computes two products for each one of the forward pass."""
SLOWER = 1.35
"""Products and what surrounds them (softmax, norms, optimizer), as a multiple of the products."""
COUNTED = 500
"""Samples of a task whose tokens are counted."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """How a task's samples look to the model."""

    vocab_size: int
    """As learned: few words do not have as many pieces as were asked for."""
    source: float
    """Tokens on average, special ones left out."""
    target: float


@dataclass(frozen=True, slots=True)
class Costs:
    """What a training costs."""

    model: ModelConfig
    """With the vocabulary as learned."""
    seconds: float
    """Of all steps on this machine's CPU; starting and measuring held-out pairs come on top."""

    @property
    def n_parameters(self) -> int:
        """How many numbers the model learns."""
        return count_parameters(self.model)

    @property
    def share_of_base(self) -> float:
        """The parameters as a share of those of the paper's base model."""
        return self.n_parameters / count_parameters(PRESETS["base"].model)


def lengths_of(task: Task, vocab_size: int) -> Lengths:
    """Learn the tokenizer that a training with seed 0 would learn, and count tokens with it."""
    tokenizer = train_tokenizer(task, vocab_size, seed=0)
    samples = list(itertools.islice(task.training_samples(random.Random(0)), COUNTED))
    return Lengths(
        tokenizer.vocab_size,
        float(np.mean(token_counts(tokenizer, [sample.source for sample in samples]))),
        float(np.mean(token_counts(tokenizer, [sample.target for sample in samples]))),
    )


def costs(preset: Preset, lengths: Lengths) -> Costs:
    """Return what the training of a preset costs on samples of these lengths."""
    model, training = preset.sized(lengths.vocab_size), preset.training
    # EOS follows the source, BOS stands before the target.
    n_source, n_target = round(lengths.source + 1), round(lengths.target + 1)
    seconds = seconds_per_step(model, training.batch_size, n_source, n_target)
    # Scheduled sampling asks the model for its own words first: a forward pass more.
    passes = PASSES + (training.scheduled_sampling > 0)
    return Costs(model, seconds * training.steps * passes / PASSES)


def seconds_per_step(model: ModelConfig, batch_size: int, n_source: int, n_target: int) -> float:
    """Return about how long one step of training takes on this machine's CPU.

    The multiply-adds of a batch, forward and backward, at the rate at which this machine computes
    matrix products, and for each sublayer what is around them. `benchmarks/training.py` prints how
    far it is off.

    Args:
        model: The sizes.
        batch_size: Sentence pairs in a batch.
        n_source: Tokens of a source, on average.
        n_target: Tokens of a target, on average.
    """
    found = describe(model, n_source, n_target)
    products = found.multiply_adds * batch_size / multiply_adds_per_second()
    return PASSES * products * SLOWER + len(found.sublayers) * OPERATIONS_EACH


@lru_cache
def multiply_adds_per_second() -> float:
    """Measure how fast this machine computes matrix products in float32 (takes a few ms)."""
    left, right = torch.ones(WIDTH, WIDTH), torch.ones(WIDTH, WIDTH)
    seconds = []
    for _ in range(7):
        started = time.perf_counter()
        torch.mm(left, right)
        seconds.append(time.perf_counter() - started)
    # The app computes on one core; training takes all of them.
    # What else runs on the machine can only make a product slower.
    return WIDTH**3 / min(seconds) * _n_cores() / torch.get_num_threads()


def _n_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
