"""Statistics of the user's own pairs before training."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.config import ModelConfig
from core.labels import longest_side
from core.tasks.corpus import Corpus
from core.tasks.length_filter import Lengths, fitting, token_counts
from core.tasks.task import Sample
from core.tokenizer.tokenizer import Token, Tokenizer
from core.tokenizer.words import written_words
from core.training.prepare import train_tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class CorpusReport:
    """Counts and lengths of pairs, and how their tokenizer would split them."""

    n_pairs: int
    """Distinct pairs in the training file."""
    n_sources: int
    """Distinct sources in the training file."""
    n_train: int
    n_valid: int
    n_test: int
    n_too_long: int
    """Pairs that exceed the model's positions. The other three count those that fit."""
    source_words: Lengths
    """For each pair; words as in `written_words`."""
    target_words: Lengths
    source_tokens: Lengths
    """For each pair, without special tokens."""
    target_tokens: Lengths
    vocab_size: int
    """Actual size: small corpora have fewer pieces than requested."""
    examples: tuple[tuple[tuple[Token, ...], tuple[Token, ...]], ...]
    """Source and target of the first pair, the longest, and the one with most tokens per word."""


def corpus_report(corpus: Corpus, vocab_size: int, model: ModelConfig) -> CorpusReport:
    """Describe pairs as a training with seed 0 would find them.

    Args:
        corpus: The pairs; lengths and numbers are of the file to learn from.
        vocab_size: Maximum tokens to learn, special tokens included.
        model: The model to be trained.

    Raises:
        CorpusError: There are too few different sources that fit.
    """
    tokenizer = train_tokenizer(corpus, vocab_size, 0, model)
    longest = longest_side(model, tokenizer)
    sources = [sample.source for sample in corpus.samples]
    targets = [sample.target for sample in corpus.samples]
    source_tokens = token_counts(tokenizer, sources)
    target_tokens = token_counts(tokenizer, targets)
    source_words, target_words = _word_counts(sources), _word_counts(targets)
    fitted = fitting(corpus, tokenizer, longest)
    n_tokens = source_tokens + target_tokens
    # No text is empty, so every pair has words.
    finest = n_tokens / (source_words + target_words)
    shown = dict.fromkeys((0, int(n_tokens.argmax()), int(finest.argmax())))
    return CorpusReport(
        n_pairs=len(sources),
        n_sources=len(set(sources)),
        n_train=len(fitted.part("train")),
        n_valid=len(fitted.part("valid")),
        n_test=len(fitted.part("test")),
        n_too_long=len(sources) - len(fitted.samples),
        source_words=source_words,
        target_words=target_words,
        source_tokens=source_tokens,
        target_tokens=target_tokens,
        vocab_size=tokenizer.vocab_size,
        examples=tuple(_split(tokenizer, corpus.samples[index]) for index in shown),
    )


def _word_counts(texts: Sequence[str]) -> Lengths:
    return np.array([len(written_words(text)) for text in texts])


def _split(tokenizer: Tokenizer, sample: Sample) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    source, target = tokenizer.encode_all([sample.source, sample.target])
    return tokenizer.describe(source.ids), tokenizer.describe(target.ids)
