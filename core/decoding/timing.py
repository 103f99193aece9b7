"""Why writing takes longer than reading: what each step of decoding costs, measured.

S source length.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.decoding.sentence import given_text, translate
from core.decoding.step import DecodeOptions, decode_steps
from core.model import Transformer
from core.runs.run import Run


@dataclass(frozen=True, slots=True)
class DecodingTimes:
    """Seconds, measured live on this machine."""

    cached: tuple[float, ...]
    """Of each step, with keys and values kept."""
    recomputed: tuple[float, ...]
    """Of each step, with the whole prefix computed anew."""
    one_pass: float
    """Of the one masked pass over the same target, as in training."""


REPEATS = 5


def measure_times(
    model: Transformer, source_S: Tensor | None, prompt: tuple[int, ...] = ()
) -> DecodingTimes:
    """Decode a source greedily in both ways, in turn, and pass over the result as in training.

    Each figure is the smallest of several: what a step costs where nothing else gets in its way.

    Args:
        model: In evaluation mode.
        source_S: One source, with EOS; None for a decoder alone.
        prompt: What the decoder is fed first; nothing for what the model always begins with.
    """
    prompt = prompt or model.config.begins
    cached: list[tuple[float, ...]] = []
    recomputed: list[tuple[float, ...]] = []
    passes: list[float] = []
    for _ in range(REPEATS):
        seconds, written = _seconds_per_step(model, source_S, prompt, cached=True)
        cached.append(seconds)
        recomputed.append(_seconds_per_step(model, source_S, prompt, cached=False)[0])
        passes.append(_seconds_of_one_pass(model, source_S, (*prompt, *written)))
    smallest = [tuple(map(min, zip(*each, strict=True))) for each in (cached, recomputed)]
    return DecodingTimes(smallest[0], smallest[1], min(passes))


@torch.inference_mode()
def _seconds_of_one_pass(
    model: Transformer, source_S: Tensor | None, fed: tuple[int, ...]
) -> float:
    fed_1T = torch.tensor([fed[:-1]])
    started = time.perf_counter()
    model(None if source_S is None else source_S[None], fed_1T)
    return time.perf_counter() - started


def _seconds_per_step(
    model: Transformer, source_S: Tensor | None, prompt: tuple[int, ...], *, cached: bool
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return the seconds of each step and the tokens that were written."""
    seconds: list[float] = []
    written: list[int] = []
    started = time.perf_counter()
    for step in decode_steps(model, source_S, DecodeOptions(watch=False, cached=cached), prompt):
        seconds.append(time.perf_counter() - started)
        written.append(step.chosen)
        started = time.perf_counter()
    return tuple(seconds), tuple(written)


def computed_cells(n: int, *, cached: bool, n_prompt: int = 1) -> list[list[int]]:
    """Return how often each cell of the self-attention map (query, key) is computed.

    The rows of what is fed first are computed at step 0, every other at a step of its own and,
    without a cache, at every later step again. Training computes every row once, in one pass.

    Args:
        n: The number of tokens that are fed.
        cached: Whether keys and values are kept.
        n_prompt: The number of tokens that are fed first, together.

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
    """The number of tokens that are fed first, together: 1 beside an encoder."""
    times: DecodingTimes | None
    """None where nothing was measured."""

    @property
    def n_steps(self) -> int:
        """The number of steps, each of them a pass of the decoder."""
        return self.n_fed - self.n_prompt + 1

    def cells(self, *, cached: bool) -> list[list[int]]:
        """Return how often each cell of a map is computed, with or without kept keys and values."""
        return computed_cells(self.n_fed, cached=cached, n_prompt=self.n_prompt)

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return a row for each query: all of its cells are computed equally often.

        `step` is that at which they are computed first.
        """
        steps, times = [max(0, at - self.n_prompt + 1) for at in range(self.n_fed)], self.times
        counted: dict[str, Sequence[object]] = {
            "step": steps,
            "cells": [at + 1 for at in range(self.n_fed)],
            "times_computed_anew": [row[0] for row in self.cells(cached=False)],
            "times_computed_kept": [row[0] for row in self.cells(cached=True)],
        }
        if times is None:
            return counted
        return counted | {
            "seconds_anew": [times.recomputed[step] for step in steps],
            "seconds_kept": [times.cached[step] for step in steps],
            "seconds_of_one_pass": [times.one_pass] * self.n_fed,
        }


def decoding_cost(run: Run, sentence: str, measured: bool = False) -> DecodingCost:
    """Return what each step of decoding a sentence greedily costs.

    Args:
        run: The run whose model decodes.
        sentence: As it was typed.
        measured: Whether the time of each step is measured, too.

    Raises:
        SentenceError: There is no text.
    """
    given = given_text(run, sentence)
    n_prompt, written = len(given.prompt), translate(run, sentence).written_ids
    times = measure_times(run.model, given.source_S, given.prompt) if measured else None
    return DecodingCost(n_prompt + len(written) - 1, n_prompt, times)
