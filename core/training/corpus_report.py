"""Counts of the user's own pairs before training."""

from dataclasses import dataclass

from ..config import ModelConfig
from ..labels import longest_side
from ..tasks.corpus import Corpus
from ..tasks.length_filter import fitting
from .prepare import train_tokenizer


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """How many pairs there are, for what they are used, and how many tokens they have."""

    n_pairs: int
    """Distinct pairs in the training file."""
    n_sources: int
    """Distinct sources in the training file."""
    n_train: int
    n_valid: int
    n_test: int
    n_too_long: int
    """Pairs that exceed the model's positions. The other three count those that fit."""
    vocab_size: int
    """Actual size: small corpora have fewer pieces than requested."""


def corpus_report(corpus: Corpus, vocab_size: int, model: ModelConfig) -> CorpusReport:
    """Count pairs as a training with seed 0 would find them.

    Args:
        corpus: The pairs; numbers are of the file to learn from.
        vocab_size: Maximum tokens to learn, special tokens included.
        model: The model to be trained.

    Raises:
        CorpusError: There are too few different sources that fit.
    """
    tokenizer = train_tokenizer(corpus, vocab_size, 0, model)
    fitted = fitting(corpus, tokenizer, longest_side(model, tokenizer))
    return CorpusReport(
        n_pairs=len(corpus.samples),
        n_sources=len({sample.source for sample in corpus.samples}),
        n_train=len(fitted.part("train")),
        n_valid=len(fitted.part("valid")),
        n_test=len(fitted.part("test")),
        n_too_long=len(corpus.samples) - len(fitted.samples),
        vocab_size=tokenizer.vocab_size,
    )
