"""Figures of a training before it starts, and counts of the user's own pairs."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..config import ModelConfig
from ..config.training import TrainConfig
from ..describe import describe
from ..labels import longest_side
from ..model import count_parameters
from ..runs.metrics import Table
from ..tasks.corpus import Corpus
from ..tasks.length_filter import fitting
from ..tokenizer.tokenizer import Tokenizer
from .loop import learning_rate
from .presets import PRESETS, Preset

POINTS = 200
"""Number of evenly spaced steps whose learning rates are shown, beside the peak."""


def learning_rates(model: ModelConfig, training: TrainConfig) -> dict[int, float]:
    """Return step → learning rate, from the first step to the last."""
    spread = np.linspace(1, training.steps, min(POINTS, training.steps))
    # Always include the peak.
    peak = [training.warmup] if training.warmup <= training.steps else []
    steps = sorted({*spread.round().astype(int).tolist(), *peak})
    return {step: learning_rate(step, model.d_model, training) for step in steps}


def parameters_of(model: ModelConfig) -> dict[str, int]:
    """Return the number of parameters of each group of parts."""
    return describe(model).by_group()


def share_of_base(model: ModelConfig) -> float:
    """Return a model's parameters as a share of those of the paper's base model."""
    return count_parameters(model) / count_parameters(PRESETS["base"].model)


def forecast(preset: Preset, vocab_size: int) -> Table:
    """Return settings, sizes, learning rates and parameters, one number in each row.

    Args:
        preset: Model and training settings.
        vocab_size: Actual size: small corpora have fewer pieces than requested.

    Returns:
        what: "setting", "size", "learning rate" or "parameters"; the number's name; and the value.
        The name of a learning rate is its step.
    """
    model = preset.sized(vocab_size)
    settings = model.to_dict() | preset.training.to_dict()
    numbers: dict[str, dict[Any, Any]] = {
        "setting": {name: value for name, value in settings.items() if name != "adam_betas"},
        "size": {
            "parameters": count_parameters(model),
            "share of the base model": share_of_base(model),
        },
        "learning rate": learning_rates(model, preset.training),
        "parameters": parameters_of(model),
    }
    rows = [(what, name, value) for what, each in numbers.items() for name, value in each.items()]
    return Table.of_rows(("what", "name", "value"), rows)


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


def corpus_report(corpus: Corpus, tokenizer: Tokenizer, model: ModelConfig) -> CorpusReport:
    """Count pairs as a training with seed 0 would find them.

    Args:
        corpus: The pairs; numbers are of the file to learn from.
        tokenizer: Learned from them.
        model: The model to be trained.

    Raises:
        CorpusError: There are too few different sources that fit.
    """
    fitted = fitting(corpus, tokenizer, longest_side(model, tokenizer))
    return CorpusReport(
        n_pairs=len(corpus.samples),
        n_sources=len({sample.source for sample in corpus.samples}),
        n_train=len(fitted.part("train")),
        n_valid=len(fitted.part("valid")),
        n_test=len(fitted.part("test")),
        n_too_long=len(corpus.samples) - len(fitted.samples),
    )
