"""What an experiment is: a question, a claim, and the settings in which its variants differ."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ...messages import N_
from ...training.loop import learning_rate
from ...training.presets import PRESETS, Preset, Setting, with_settings
from .measures import EXACT_MATCH, Measure

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
    """What a claim says of a variant's measure beside that of the base."""

    LESS = "less"
    AS_GOOD = "as_good"
    """Less by no more than `WITHIN`."""
    MORE = "more"
    NO_MORE = "no_more"
    """More by no more than `WITHIN`."""


NEEDS_NO_MIXING = N_(
    "These sentences need no mixing in the encoder, since the decoder’s cross-attention sees every "
    "word of the source."
)
"""Why the grammar decides no claim about what the encoder does."""
WITHIN = 0.05
"""The margin: shares that differ by no more are as good as each other."""


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
    start: str = ""
    """The variant whose trained weights, of the same seed, it begins with; empty for fresh ones."""
    task: str = ""
    """What it learns, where that is not what the others learn."""
    shipped: str = ""
    """The gallery's run of it, where it is there under a name of its own."""
    against: str = BASE
    """The variant that it is compared with."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One question."""

    name: str
    question: str
    """Marked for translation, as are the next two."""
    claim: str
    """What is usually taught."""
    source: str
    """Who says so."""
    variants: tuple[Variant, ...]
    """In the order of the chart."""
    task: str = "translate"
    settings: Mapping[str, Setting] = field(default_factory=lambda: dict(TRANSLATING))
    """In which all variants are alike."""
    seeds: int = SEEDS
    beyond: tuple[int, ...] = ()
    """Lengths that are measured, too, and that training never draws; for tasks of symbols."""
    by_distance: bool = False
    """Whether it is measured how far the influence of a source token reaches in the encoder."""
    by_layer: bool = False
    """Whether stream and gradient are measured from layer to layer."""
    measures: tuple[Measure, ...] = ()
    """What is measured beside exact match and loss."""
    judged_by: str = EXACT_MATCH
    """The measure that the claim is about."""
    judges: str = ""
    """What alone is judged of the claim; empty where all of it is. Marked for translation."""
    untested: str = ""
    """Why these trainings cannot decide the claim; empty where they can. Marked for translation."""
    vanishing: tuple[str, ...] = ()
    """The variants in which the gradient is claimed to vanish on its way back."""
    caution: str = ""
    """What is to be kept in mind of what comes out; marked for translation."""

    def measure(self, name: str) -> Measure | None:
        """Return one of the further measures; None for exact match, which is none of them."""
        return next((each for each in self.measures if each.name == name), None)

    def variant(self, name: str) -> Variant:
        """Return the variant of a name."""
        return {variant.name: variant for variant in self.variants}[name]

    def compared(self, variant: Variant) -> Variant | None:
        """Return what a variant is compared with; None for the base, and for another task."""
        other = self.variant(variant.against)
        alike = self.task_of(variant) == self.task_of(other)
        return other if other != variant and alike else None

    def peak_rate(self, variant: Variant) -> float:
        """Return the highest learning rate with which a variant is trained."""
        preset = self.preset(variant, 0)
        d_model, training = preset.model.d_model, preset.training
        steps = range(1, training.steps + 1)
        return max(learning_rate(step, d_model, training) for step in steps)

    def task_of(self, variant: Variant) -> str:
        """Return the name of what a variant learns."""
        return variant.task or self.task

    def preset(self, variant: Variant, seed: int) -> Preset:
        """Return how a variant is trained with a seed."""
        return with_settings(PRESETS[PRESET], {**self.settings, **variant.changes, "seed": seed})
