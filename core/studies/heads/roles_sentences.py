"""Held-out sentences with all that is known of their tokens without asking a model.

V vocabulary.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from core.batch import Pair
from core.heads import Side
from core.runs.run import Run
from core.studies.heads.findings import task_of
from core.studies.heads.texts import pairs_read
from core.tasks import Sample
from core.tokenizer import Token, Tokenizer

TokenLinks = tuple[tuple[int, int], ...]
"""(token of the target, token of the source that it comes from), both counted without BOS."""


@dataclass(frozen=True, eq=False)
class Sentences:
    """Sentences to look for roles in."""

    pairs: tuple[Pair, ...]
    links: Mapping[Pair, TokenLinks]
    """The task's alignment; pairs of which none is known are missing."""
    source_delimiters_V: Tensor
    """True for special tokens and for those that are nothing but punctuation."""
    fed_delimiters_V: Tensor
    source_counts_V: Tensor
    """How often each token stands in the sources of these pairs."""
    fed_counts_V: Tensor
    """How often each token is fed to the decoder in these pairs."""

    def delimiters_V(self, side: Side) -> Tensor:
        """Return which tokens separate, and mean nothing."""
        return self.source_delimiters_V if side == "source" else self.fed_delimiters_V

    def counts_V(self, side: Side) -> Tensor:
        """Return how often each token stands in the sources, or is fed."""
        return self.source_counts_V if side == "source" else self.fed_counts_V


def held_out_sentences(run: Run, n: int, seed: int) -> Sentences:
    """Return up to `n` held-out sentences of a run's task; of one stack what `pairs_read` says.

    Raises:
        RunError: As in `core.studies.heads.texts.pairs_read`.
    """
    pairs = pairs_read(run, n, seed)
    task = task_of(run)
    samples = [] if task is None else task.held_out_samples(n, seed)
    linked = dict(_linked(run.tokenizer, pairs, samples))
    return _counted(
        pairs, linked, _delimiters_of(run.tokenizer), _delimiters_of(run.target_tokenizer)
    )


@lru_cache(maxsize=16)
def _delimiters_of(tokenizer: Tokenizer) -> Tensor:
    """Return delimiters_V; a vocabulary of 50,000 takes half a second to read."""
    return _delimiters(tokenizer.describe(range(tokenizer.vocab_size)))


def _delimiters(vocabulary: Sequence[Token]) -> Tensor:
    return torch.tensor([is_delimiter(token) for token in vocabulary])


def known_sentences(
    pairs: Sequence[Pair],
    links: Mapping[Pair, TokenLinks],
    vocabulary: Sequence[Token],
    target_vocabulary: Sequence[Token] | None = None,
) -> Sentences:
    """Return pairs with their alignments, and what follows from their tokens.

    Args:
        pairs: The sentences.
        links: The alignments that are known.
        vocabulary: Every token, in the order of its id.
        target_vocabulary: The same of what the decoder is fed; None where it is the same.
    """
    delimiters_V = _delimiters(vocabulary)
    fed_V = delimiters_V if target_vocabulary is None else _delimiters(target_vocabulary)
    return _counted(pairs, links, delimiters_V, fed_V)


def _counted(
    pairs: Sequence[Pair],
    links: Mapping[Pair, TokenLinks],
    source_delimiters_V: Tensor,
    fed_delimiters_V: Tensor,
) -> Sentences:
    return Sentences(
        pairs=tuple(pairs),
        links=links,
        source_delimiters_V=source_delimiters_V,
        fed_delimiters_V=fed_delimiters_V,
        source_counts_V=_counts([pair.source for pair in pairs], len(source_delimiters_V)),
        fed_counts_V=_counts([pair.target[:-1] for pair in pairs], len(fed_delimiters_V)),
    )


def is_delimiter(token: Token) -> bool:
    """Say whether a token separates and means nothing: a special token, or punctuation alone.

    >>> [is_delimiter(Token(text, False, 0)) for text in (".", "?!", "n't", "a")]
    [True, True, False, False]
    """
    return token.special or all(unicodedata.category(sign)[0] == "P" for sign in token.text)


def _counts(rows: Sequence[Sequence[int]], vocab_size: int) -> Tensor:
    ids = np.fromiter((token for row in rows for token in row), dtype=np.int64)
    return torch.from_numpy(np.bincount(ids, minlength=vocab_size))


def _linked(
    tokenizer: Tokenizer, pairs: Sequence[Pair], samples: Sequence[Sample]
) -> Iterator[tuple[Pair, TokenLinks]]:
    """Yield the pairs whose sample has links, with the same links between tokens."""
    of_source = {pair.text: pair for pair in pairs}
    linked = [sample for sample in samples if sample.links and sample.source in of_source]
    sources = tokenizer.encode_all([sample.source for sample in linked])
    targets = tokenizer.encode_all([sample.target for sample in linked])
    for sample, source, target in zip(linked, sources, targets, strict=True):
        tokens = (
            (written, read)
            for link in sample.links
            for written in target.tokens_in(link.target)
            for read in source.tokens_in(link.source)
        )
        yield of_source[sample.source], tuple(sorted(set(tokens)))
