"""The measured cost of each decoding step, beside a single pass as in training.

S source length.
"""

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.decoding.sentence import model_input, translate
from core.decoding.step import Stepper
from core.model import Transformer
from core.runs.run import Run

REPEATS = 5


@dataclass(frozen=True, slots=True)
class DecodingTimes:
    """Seconds, measured live on this machine."""

    cached: tuple[float, ...]
    """Of each step, with cached keys and values."""
    recomputed: tuple[float, ...]
    """Of each step, with the whole prefix recomputed."""
    one_pass: float
    """Of the one masked pass over the same target, as in training."""


@torch.inference_mode()
def measure_times(
    model: Transformer,
    source_S: Tensor | None,
    prompt: Sequence[int],
    written: Sequence[int],
) -> DecodingTimes:
    """Decode a target in both ways, in turn, and pass over it as in training.

    Each figure is the minimum of several runs, which is least disturbed by other processes.

    Args:
        model: In evaluation mode.
        source_S: One source, with EOS; None for a decoder alone.
        prompt: The decoder's first tokens.
        written: The model's output after them.
    """
    source_1S = None if source_S is None else source_S[None]
    fed_1T = torch.tensor([[*prompt, *written[:-1]]])
    pieces = fed_1T.split([len(prompt), *[1] * (len(written) - 1)], dim=1)

    def steps(*, cached: bool) -> list[float]:
        times = [time.perf_counter()]
        # The encoder's time belongs to the first step.
        stepper = Stepper(model, source_1S, cached=cached)
        for new_1T in pieces:
            stepper.feed(new_1T).argmax(dim=-1)
            times.append(time.perf_counter())
        return [end - start for start, end in itertools.pairwise(times)]

    def one_pass() -> float:
        started = time.perf_counter()
        model(source_1S, fed_1T)
        return time.perf_counter() - started

    rounds = [(steps(cached=True), steps(cached=False), one_pass()) for _ in range(REPEATS)]
    cached, recomputed, passes = zip(*rounds, strict=True)
    return DecodingTimes(tuple(map(min, *cached)), tuple(map(min, *recomputed)), min(passes))


def computed_cells(n: int, *, cached: bool, n_prompt: int = 1) -> list[list[int]]:
    """Return how often each cell of the self-attention map (query, key) is computed.

    The rows of the prompt are computed at step 0, every other row at its own step and, without a
    cache, again at every later step. Training computes every row once, in one pass.

    Args:
        n: Number of fed tokens.
        cached: Whether keys and values are cached.
        n_prompt: Number of tokens in the prompt.

    >>> computed_cells(3, cached=False)
    [[3, 0, 0], [2, 2, 0], [1, 1, 1]]
    >>> computed_cells(3, cached=True)
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> computed_cells(3, cached=False, n_prompt=2)
    [[2, 0, 0], [2, 2, 0], [1, 1, 1]]
    """
    times = [1 if cached else n - max(query, n_prompt - 1) for query in range(n)]
    return [[0 if key > query else times[query] for key in range(n)] for query in range(n)]


@dataclass(frozen=True, slots=True)
class DecodingCost:
    """How often each row of self-attention is computed, and how long the steps take."""

    n_fed: int
    n_prompt: int
    """Number of tokens in the prompt; 1 with an encoder."""
    times: DecodingTimes | None
    """None if nothing was measured."""

    @property
    def n_steps(self) -> int:
        """The number of steps, each of them a pass of the decoder."""
        return self.n_fed - self.n_prompt + 1

    def cells(self, *, cached: bool) -> list[list[int]]:
        """Return how often each cell of a map is computed, with or without a cache."""
        return computed_cells(self.n_fed, cached=cached, n_prompt=self.n_prompt)

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return a row for each query: all of its cells are computed equally often.

        `step` is the one at which they are first computed.
        """
        steps = [max(0, at - self.n_prompt + 1) for at in range(self.n_fed)]
        counted: dict[str, Sequence[object]] = {
            "step": steps,
            "cells": [at + 1 for at in range(self.n_fed)],
            "times_computed_anew": [row[0] for row in self.cells(cached=False)],
            "times_computed_kept": [row[0] for row in self.cells(cached=True)],
        }
        if self.times is None:
            return counted
        return counted | {
            "seconds_anew": [self.times.recomputed[step] for step in steps],
            "seconds_kept": [self.times.cached[step] for step in steps],
            "seconds_of_one_pass": [self.times.one_pass] * self.n_fed,
        }


def decoding_cost(run: Run, sentence: str, measured: bool = False) -> DecodingCost:
    """Return the cost of each step of greedy decoding, with times if measured.

    Raises:
        SentenceError: There is no text.
    """
    given, written = model_input(run, sentence), translate(run, sentence).written_ids
    n_prompt, times = len(given.prompt), None
    if measured:
        times = measure_times(run.model, given.source_S, given.prompt, written)
    return DecodingCost(n_prompt + len(written) - 1, n_prompt, times)
