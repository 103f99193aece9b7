"""Pairs that fit a model's positions, by their numbers of tokens."""

import itertools
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..tokenizer.tokenizer import Tokenizer
from .corpus import Corpus, Mixed
from .task import Sample, Task

Lengths = NDArray[np.int64]
_AT_ONCE = 20_000
"""Number of texts that are tokenised at once."""
Learned = TypeVar("Learned", bound=Task)


def fitting(task: Learned, tokenizer: Tokenizer, max_positions: int) -> Learned:
    """Return the task without pairs that are longer than a model's positions.

    Only the user's own pairs are ever that long.

    Raises:
        CorpusError: Too few pairs are left.
    """
    if isinstance(task, Mixed):
        return task.only(_fitting(task.pairs, tokenizer, max_positions))
    if isinstance(task, Corpus):
        return task.only(_fitting(task, tokenizer, max_positions))
    return task


def _fitting(pairs: Corpus, tokenizer: Tokenizer, max_positions: int) -> Callable[[Sample], bool]:
    """Return a predicate for pairs that fit."""
    samples = [*pairs.samples, *itertools.chain.from_iterable(pairs.own_parts.values())]
    return set(those_that_fit(samples, tokenizer, max_positions)).__contains__


def those_that_fit(
    samples: Sequence[Sample], tokenizer: Tokenizer, max_positions: int
) -> list[Sample]:
    """Return the samples that are no longer than a model's positions."""
    longest = np.maximum(
        token_counts(tokenizer, [sample.source for sample in samples]),
        token_counts(tokenizer, [sample.target for sample in samples]),
    )
    # EOS follows the source, BOS stands before the target.
    return [
        sample for sample, fits in zip(samples, longest + 1 <= max_positions, strict=True) if fits
    ]


def target_ratio(samples: Sequence[Sample], tokenizer: Tokenizer) -> float:
    """Return the largest ratio of target to source tokens, EOS counted; 0 without samples."""
    n_source = token_counts(tokenizer, [sample.source for sample in samples]) + 1
    n_target = token_counts(tokenizer, [sample.target for sample in samples]) + 1
    return round(float((n_target / n_source).max(initial=0.0)), 4)


def token_counts(tokenizer: Tokenizer, texts: Sequence[str]) -> Lengths:
    """Return the number of tokens of each text, without special tokens."""
    # In chunks: encodings are far larger than their words.
    chunks = (texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE))
    return np.array([len(ids) for chunk in chunks for ids in tokenizer.ids_of_all(chunk)])
