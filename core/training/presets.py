"""Sizes with settings that are known to work, by name."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice

from core.config import ModelConfig
from core.config.training import TrainConfig
from core.tasks import Sample
from core.tokenizer.words import has_unspaced

N_READ = 20_000
"""So many pairs tell which characters own pairs have."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A model's sizes, how it is trained, and how many tokens its tokenizer may learn."""

    model: ModelConfig
    training: TrainConfig
    vocab_size: int

    def sized(self, vocab_size: int) -> ModelConfig:
        """Return the model's sizes for a tokenizer that learned so many tokens."""
        return replace(self.model, vocab_size=vocab_size)


PRESETS: dict[str, Preset] = {
    # Pre-norm and a cooldown: with them the copy task is learned in 850 steps.
    "tiny": Preset(
        ModelConfig(
            vocab_size=320,
            n_encoder_layers=2,
            n_decoder_layers=2,
            d_model=64,
            d_ff=256,
            n_heads=4,
            dropout=0.0,
            norm="pre",
        ),
        TrainConfig(
            steps=850,
            warmup=250,
            cooldown=600,
            learning_rate_factor=1.2,
            label_smoothing=0.0,
            evaluate_every=170,
            checkpoint_every=425,
        ),
        vocab_size=320,
    ),
    # The learning rate falls evenly from the end of the warm-up on: translation needs it for the
    # last percent of its sentences.
    "small": Preset(
        ModelConfig(
            vocab_size=1500,
            n_encoder_layers=3,
            n_decoder_layers=2,
            d_model=128,
            d_ff=512,
            n_heads=4,
            dropout=0.0,
            norm="pre",
        ),
        TrainConfig(
            steps=5000,
            warmup=400,
            cooldown=4600,
            learning_rate_factor=0.5,
            label_smoothing=0.0,
        ),
        vocab_size=1500,
    ),
    # For ten to two hundred thousand pairs of one's own; benchmarks/own_corpora.py tries it.
    "medium": Preset(
        ModelConfig(
            vocab_size=4000,
            n_encoder_layers=3,
            n_decoder_layers=2,
            d_model=192,
            d_ff=768,
            n_heads=4,
            dropout=0.15,
            norm="pre",
        ),
        TrainConfig(
            steps=9000,
            batch_size=128,
            warmup=600,
            cooldown=8400,
            learning_rate_factor=0.7,
        ),
        vocab_size=4000,
    ),
    # The paper's base model, with its schedule.
    "base": Preset(
        ModelConfig(vocab_size=37000),
        TrainConfig(steps=100_000, evaluate_every=1000, checkpoint_every=1000),
        vocab_size=37000,
    ),
}


def vocabulary_for(n_pairs: int, samples: Iterable[Sample]) -> int:
    """Return how many tokens suit so many pairs of one's own: it grows with their square root.

    The characters of scripts without spaces come on top: they are many, and each is a token that
    is made of three bytes.

    Args:
        n_pairs: All of them.
        samples: The first `N_READ` of these are read.

    >>> [vocabulary_for(n, ()) for n in (10, 2_500, 40_000, 5_000_000)]
    [320, 1000, 4000, 32000]
    >>> vocabulary_for(10, [Sample("cat", "猫")])
    322
    """
    read = islice(samples, N_READ)
    letters = set().union(*(each.source + each.target for each in read))
    spelled = [letter.encode() for letter in letters if has_unspaced(letter)]
    merges = {letter[:end] for letter in spelled for end in range(2, len(letter) + 1)}
    suitable = max(320, round(math.sqrt(n_pairs / 2_500) * 10) * 100)
    return min(32_000, suitable + len(merges))
