"""What each decoding step computes, beside a single pass as in training."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..runs.run import Run
from .sentence import model_input, translate
from .step import length_limit


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
    """How often each row of self-attention is computed."""

    n_fed: int
    n_prompt: int
    """Number of tokens in the prompt; 1 with an encoder."""
    n_source: int
    """Number of tokens that the encoder reads, all in one pass; 0 without an encoder."""
    limit: int
    """After how many written tokens decoding stops, even without EOS."""

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
        return {
            "step": steps,
            "cells": [at + 1 for at in range(self.n_fed)],
            "times_computed_anew": [row[0] for row in self.cells(cached=False)],
            "times_computed_kept": [row[0] for row in self.cells(cached=True)],
        }


def decoding_cost(run: Run, sentence: str) -> DecodingCost:
    """Return the cost of each step of greedy decoding.

    Raises:
        SentenceError: There is no text.
    """
    given, written = model_input(run, sentence), translate(run, sentence).written_ids
    n_prompt, n_source = len(given.prompt), len(given.source_ids)
    limit = length_limit(run.model, n_source, n_prompt, run.max_new_tokens)
    return DecodingCost(n_prompt + len(written) - 1, n_prompt, n_source, limit)
