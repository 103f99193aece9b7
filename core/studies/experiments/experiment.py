"""What an experiment is: a question, a claim, and the settings in which its variants differ."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ...training.loop import learning_rate
from ...training.presets import PRESETS, Preset, Setting, with_settings
from .measures import EXACT_MATCH, Measure

BASE = "base"
"""The variant that the others are compared with."""
SEEDS, MOST_SEEDS = 3, 8
"""Trainings of each variant; where the interval of `SEEDS` decides nothing, `MOST_SEEDS`."""
RATES = (0.4, 1.0, 2.5)
"""Learning rates that each variant is trained with, times that of the experiment's settings."""
LONGER = 4
"""The base is trained this many times as long, too: to see whether it has learned its task."""
PRESET = "small"
TRANSLATING: Mapping[str, Setting] = {
    **{"n_encoder_layers": 2, "n_decoder_layers": 2, "d_model": 96, "d_ff": 384, "n_heads": 4},
    **{"steps": 1200, "warmup": 200, "cooldown": 1000, "learning_rate_factor": 1.0},
    **{"batch_size": 128, "evaluate_every": 200, "checkpoint_every": 600},
}
"""The grammar's sentences, long enough for its pronouns, which are learned last."""
REVERSING: Mapping[str, Setting] = {
    **TRANSLATING,
    **{"d_model": 64, "d_ff": 256, "batch_size": 64, "evaluate_every": 250},
    **{"steps": 1500, "cooldown": 1200, "checkpoint_every": 750},
}
"""Rows of letters, which have a length and nothing else."""
DEFINING: Mapping[str, Setting] = {
    **TRANSLATING,
    **{"d_model": 64, "d_ff": 256, "batch_size": 64, "max_positions": 32},
    **{"cross": "own", "positions": "rotary"},
    **{"steps": 2000, "warmup": 200, "cooldown": 1800, "learning_rate_factor": 0.5},
    **{"evaluate_every": 250, "checkpoint_every": 1000},
}
"""Letters that are defined later in the row. Each is written from its own encoder state alone, so
that the encoder must mix: cross-attention would look the definition up by itself."""


class Expected(StrEnum):
    """What a claim says of a variant's measure beside that of the base."""

    LESS = "less"
    AS_GOOD = "as_good"
    """Less by no more than `WITHIN`."""
    MORE = "more"
    NO_MORE = "no_more"
    """More by no more than `WITHIN`."""


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
    by_loss: bool = True
    """Whether a learning rate is chosen by the held-out loss; False: by right sentences."""
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

    def changed(
        self, variant: Variant, seed: int, rate: float = 1.0, times: int = 1
    ) -> dict[str, Setting]:
        """Return the settings in which a training differs from the preset.

        Args:
            variant: What is trained.
            seed: Of its weights and its sentences.
            rate: Times the learning rate of the settings.
            times: Times as many steps.
        """
        settings = {**self.settings, **variant.changes}
        for name in ("steps", "cooldown") if times > 1 else ():
            settings[name] = times * int(settings[name])
        if rate != 1.0:
            settings["learning_rate_factor"] = rate * float(settings["learning_rate_factor"])
        return {"seed": seed, **settings}

    def preset(self, variant: Variant, seed: int, rate: float = 1.0, times: int = 1) -> Preset:
        """Return how a variant is trained; see `changed`."""
        return with_settings(PRESETS[PRESET], self.changed(variant, seed, rate, times))
