"""What an experiment is: a question, a claim, and the settings in which its variants differ."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.training.presets import PRESETS, Preset
from core.training.settings import Setting, with_settings

BASE = "base"
"""The variant that the others are compared with."""
SEEDS = 3
PRESET = "small"
TRANSLATING: Mapping[str, Setting] = {
    **{"n_encoder_layers": 2, "n_decoder_layers": 2, "d_model": 96, "d_ff": 384, "n_heads": 4},
    **{"steps": 800, "warmup": 200, "cooldown": 600, "learning_rate_factor": 1.0},
    **{"batch_size": 64, "evaluate_every": 200, "checkpoint_every": 400},
}
"""The grammar's sentences in minutes: long enough that variants come apart."""
REVERSING: Mapping[str, Setting] = {
    **TRANSLATING,
    **{"d_model": 64, "d_ff": 256, "steps": 1500, "cooldown": 1200, "evaluate_every": 250},
}
"""Rows of letters, which have a length and nothing else."""


class Expected(StrEnum):
    """What a claim says of a variant's exact match beside that of the base."""

    LESS = "less"
    AS_GOOD = "as_good"
    """Less by no more than `WITHIN`."""


WITHIN = 0.05


@dataclass(frozen=True, slots=True)
class Variant:
    """A model that differs from the base in some settings."""

    name: str
    """In files and commands."""
    label: str
    """What people call it; marked for translation."""
    changes: Mapping[str, Setting] = field(default_factory=dict)
    """Settings of the model or of its training."""
    expected: Expected | None = None
    """What the claim says of it; None where it says nothing."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One question."""

    name: str
    question: str
    """Marked for translation, as are the next two."""
    claim: str
    """What is usually told."""
    source: str
    """Where it is told."""
    variants: tuple[Variant, ...]
    """The base comes first."""
    task: str = "translate"
    settings: Mapping[str, Setting] = field(default_factory=lambda: dict(TRANSLATING))
    """In which all variants are alike."""
    seeds: int = SEEDS
    by_distance: bool = False
    """Whether it is measured how far the influence of a source token reaches in the encoder."""
    beyond: tuple[int, ...] = ()
    """Lengths that are measured, too, and that training never draws; for tasks of symbols."""

    def __post_init__(self) -> None:
        names = [variant.name for variant in self.variants]
        if names[:1] != [BASE] or len(set(names)) < len(names):
            raise ValueError(f"{self.name}: variants need different names, {BASE} first: {names}")

    def variant(self, name: str) -> Variant:
        """Return a variant.

        Raises:
            KeyError: There is none of that name.
        """
        found = {variant.name: variant for variant in self.variants}
        return found[name]

    def preset(self, variant: Variant, seed: int) -> Preset:
        """Return how a variant is trained with a seed.

        Raises:
            ConfigError: Its settings do not go together.
        """
        return with_settings(PRESETS[PRESET], {**self.settings, **variant.changes, "seed": seed})
