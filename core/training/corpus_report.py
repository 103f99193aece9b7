"""What can be known of the user's own pairs before a model learns from them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.batch import Lengths, token_counts
from core.tasks.corpus import Corpus
from core.tasks.task import Sample
from core.tokenizer import Token, Tokenizer
from core.training.estimate import Lengths as MeanLengths
from core.training.prepare import train_tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class CorpusReport:
    """Counts and lengths of pairs, and how the tokenizer that they would be given splits them."""

    n_pairs: int
    """Different ones."""
    n_sources: int
    """Different ones."""
    n_train: int
    n_held_out: int
    n_too_long: int
    """Pairs that do not fit the model's positions. The other two are of those that fit."""
    source_words: Lengths
    """For each pair; words are what white space separates."""
    target_words: Lengths
    source_tokens: Lengths
    """For each pair, without special tokens."""
    target_tokens: Lengths
    vocab_size: int
    """As learned: few texts do not have as many pieces as were asked for."""
    examples: tuple[tuple[tuple[Token, ...], tuple[Token, ...]], ...]
    """Source and target of the first pair, of the longest, of the one with most tokens a word."""

    @property
    def lengths(self) -> MeanLengths:
        """How the pairs look to the model, for what a training on them costs."""
        return MeanLengths(
            self.vocab_size, float(self.source_tokens.mean()), float(self.target_tokens.mean())
        )


def corpus_report(samples: Iterable[Sample], vocab_size: int, max_positions: int) -> CorpusReport:
    """Describe pairs as a training with seed 0 would find them.

    Args:
        samples: As `read_pairs` gives them.
        vocab_size: Tokens to learn at most, special tokens included.
        max_positions: So many tokens a side has room for; one of them is special.

    Raises:
        CorpusError: There are too few different sources, or too few that fit.
    """
    corpus = Corpus("these pairs", samples)
    tokenizer = train_tokenizer(corpus, vocab_size, seed=0)
    sources = [sample.source for sample in corpus.samples]
    targets = [sample.target for sample in corpus.samples]
    source_tokens = token_counts(tokenizer, sources)
    target_tokens = token_counts(tokenizer, targets)
    source_words, target_words = _word_counts(sources), _word_counts(targets)
    # EOS follows the source, BOS stands before the target.
    fits = np.maximum(source_tokens, target_tokens) + 1 <= max_positions
    fitting = Corpus(corpus.name, _where(corpus.samples, fits))
    n_held_out = sum(map(fitting.held_out, fitting.samples))
    n_tokens = source_tokens + target_tokens
    # Different ones, in this order; no text is empty, so every pair has words.
    finest = n_tokens / (source_words + target_words)
    shown = dict.fromkeys((0, int(n_tokens.argmax()), int(finest.argmax())))
    return CorpusReport(
        n_pairs=len(sources),
        n_sources=len(set(sources)),
        n_train=len(fitting.samples) - n_held_out,
        n_held_out=n_held_out,
        n_too_long=len(sources) - len(fitting.samples),
        source_words=source_words,
        target_words=target_words,
        source_tokens=source_tokens,
        target_tokens=target_tokens,
        vocab_size=tokenizer.vocab_size,
        examples=tuple(_split(tokenizer, corpus.samples[index]) for index in shown),
    )


def _word_counts(texts: Sequence[str]) -> Lengths:
    return np.array([len(text.split()) for text in texts])


def _where(samples: Sequence[Sample], kept: NDArray[np.bool_]) -> list[Sample]:
    return [sample for sample, keep in zip(samples, kept.tolist(), strict=True) if keep]


def _split(tokenizer: Tokenizer, sample: Sample) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    source, target = tokenizer.encode_all([sample.source, sample.target])
    return tokenizer.describe(source.ids), tokenizer.describe(target.ids)
