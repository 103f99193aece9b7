"""Why writing takes longer than reading: what each step of decoding costs, measured.

S source length.
"""

import time
from dataclasses import dataclass

import torch
from torch import Tensor

from core.decoding.sentence import source_tensor
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


def sentence_times(run: Run, sentence: str) -> DecodingTimes:
    """Measure what each step of decoding a sentence costs.

    Raises:
        SentenceError: There is no text.
    """
    return measure_times(run.model, source_tensor(run, sentence))


REPEATS = 5


def measure_times(model: Transformer, source_S: Tensor) -> DecodingTimes:
    """Decode a source greedily in both ways, in turn, and pass over the result as in training.

    Each figure is the smallest of several: what a step costs where nothing else gets in its way.
    """
    cached: list[tuple[float, ...]] = []
    recomputed: list[tuple[float, ...]] = []
    passes: list[float] = []
    for _ in range(REPEATS):
        seconds, written = _seconds_per_step(model, source_S, cached=True)
        cached.append(seconds)
        recomputed.append(_seconds_per_step(model, source_S, cached=False)[0])
        passes.append(_seconds_of_one_pass(model, source_S, written))
    smallest = [tuple(map(min, zip(*each, strict=True))) for each in (cached, recomputed)]
    return DecodingTimes(smallest[0], smallest[1], min(passes))


@torch.inference_mode()
def _seconds_of_one_pass(model: Transformer, source_S: Tensor, written: tuple[int, ...]) -> float:
    config = model.config
    said = [token for token in written if token not in config.eos_ids]
    fed_1T = source_S.new_tensor([[*config.begins, *said]])
    started = time.perf_counter()
    model(source_S[None], fed_1T)
    return time.perf_counter() - started


def _seconds_per_step(
    model: Transformer, source_S: Tensor, *, cached: bool
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return the seconds of each step and the tokens that were written."""
    seconds: list[float] = []
    written: list[int] = []
    started = time.perf_counter()
    for step in decode_steps(model, source_S, DecodeOptions(watch=False, cached=cached)):
        seconds.append(time.perf_counter() - started)
        written.append(step.chosen)
        started = time.perf_counter()
    return tuple(seconds), tuple(written)


def computed_cells(n_steps: int, *, cached: bool) -> list[list[int]]:
    """Return how often each cell of the self-attention map (query, key) is computed.

    Row i is computed at step i and, without a cache, at every later step again. Training computes
    every row once, in one pass.

    >>> computed_cells(3, cached=False)
    [[3, 0, 0], [2, 2, 0], [1, 1, 1]]
    >>> computed_cells(3, cached=True)
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    return [
        [0 if key > query else 1 if cached else n_steps - query for key in range(n_steps)]
        for query in range(n_steps)
    ]
