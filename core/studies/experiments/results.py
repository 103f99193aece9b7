"""What was measured in an experiment: figures of every training, and means over seeds."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import stats

from ...files import write_atomically
from ...installed import GALLERY
from ...runs.metrics import Table

CONFIDENCE = 0.95
SHIPPED = GALLERY / "experiments"
"""Where results that come with the project are."""


@dataclass(frozen=True, slots=True)
class Trained:
    """One variant, trained once with a seed and measured on held-out sentences."""

    variant: str
    seed: int
    parameters: int
    seconds: float
    """Of all steps at the median pace between two measurements: the machine may have done other
    things meanwhile."""
    n: int
    """Held-out sentences."""
    exact_match: float
    """Share of them that the model writes without a mistake."""
    loss: float
    """Cross-entropy per token after the true prefix, in nats."""
    pronouns: float | None
    """Share of ambiguous pronouns that are right; None where the task has none."""
    n_pronouns: int
    by_length: tuple[tuple[int, int, int], ...]
    """(source tokens, sentences, of them right), by length."""
    curve: Mapping[str, list[float]] = field(default_factory=dict)
    """step, held_out_exact_match, and loss, reward, held_out_loss and seconds where reported."""
    by_distance: tuple[tuple[int, int, float], ...] = ()
    """(tokens away, pairs, gradient norm of what the encoder makes at a position relative to
    that of its own token), by distance; none where an experiment does not ask for it."""
    by_layer: Mapping[str, list[float]] = field(default_factory=dict)
    """Of the encoder's embeddings, then of what each layer hands on: `gradient` and `apart` of
    `core.studies.attribution.encoder_gradients`, and `drawn_…` of the weights that training began
    with; nothing where an experiment does not ask for it."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """What only some experiments measure, by the name of the measure; absent in older files."""
    rate: float = 1.0
    """The learning rate, times that of the experiment's settings."""
    times: int = 1
    """Steps, times those of the experiment's settings."""

    def value(self, measure: str) -> float | None:
        """Return a figure by its name; None where there is none."""
        if measure in self.measures:
            return self.measures[measure]
        found = getattr(self, measure, None)
        return None if found is None else float(found)

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """Return what `asdict` wrote; older files have no distances."""
        lengths = tuple((int(a), int(b), int(c)) for a, b, c in stored["by_length"])
        distances = tuple((int(a), int(b), float(c)) for a, b, c in stored.get("by_distance", ()))
        return cls(**{**stored, "by_length": lengths, "by_distance": distances})


@dataclass(frozen=True, slots=True)
class Tried:
    """A training that only chooses a learning rate, or shows whether others were long enough."""

    variant: str
    rate: float
    """As in `Trained`."""
    times: int
    loss: float
    """Held-out, at the end, in nats per token; infinite where training failed."""
    figure: float | None
    """What the claim is about."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over seeds, with the interval of Student's t; without one where there is one seed."""

    mean: float
    low: float
    high: float
    n: int
    """Seeds."""

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Return the mean of some values.

        >>> found = Estimate.of([0.6, 0.7, 0.8])
        >>> round(found.mean, 3), round(found.low, 3), round(found.high, 3)
        (0.7, 0.452, 0.948)
        """
        n, mean = len(values), float(np.mean(values))
        if n < 2:
            return cls(mean, -math.inf, math.inf, n)
        reach = float(stats.t.ppf(0.5 + CONFIDENCE / 2, n - 1) * np.std(values, ddof=1)) / n**0.5
        return cls(mean, mean - reach, mean + reach, n)


@dataclass(frozen=True, slots=True)
class Results:
    """All trainings of an experiment."""

    experiment: str
    trained: tuple[Trained, ...]
    command: str = ""
    machine: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    tried: tuple[Tried, ...] = ()
    """None in older files."""

    @classmethod
    def found(cls, name: str, folder: Path = SHIPPED) -> Self | None:
        """Return the results of an experiment in a folder; None where it was not run to its end.

        Raises:
            ValueError: The file holds something else.
            OSError: It cannot be read.
        """
        file = folder / f"{name}.json"
        return cls.load(file) if file.exists() else None

    def of(self, variant: str) -> tuple[Trained, ...]:
        """Return the trainings of a variant, by seed."""
        found = [each for each in self.trained if each.variant == variant]
        return tuple(sorted(found, key=lambda each: each.seed))

    def by_length(self, variant: str) -> dict[int, tuple[int, int]]:
        """Return source tokens → sentences of that length and how many are right, of all seeds."""
        found: dict[int, tuple[int, int]] = {}
        for each in self.of(variant):
            for length, n, right in each.by_length:
                n_before, right_before = found.get(length, (0, 0))
                found[length] = n_before + n, right_before + right
        return dict(sorted(found.items()))

    def by_distance(self, variant: str) -> dict[int, tuple[int, float]]:
        """Return tokens before a position → pairs of all seeds, and the mean of their norms."""
        found: dict[int, list[tuple[int, float]]] = {}
        for each in self.of(variant):
            for distance, pairs, norm in each.by_distance:
                found.setdefault(distance, []).append((pairs, norm))
        return {
            distance: (sum(n for n, _ in each), sum(norm for _, norm in each) / len(each))
            for distance, each in sorted(found.items())
        }

    def by_layer(self, variant: str, name: str) -> list[float]:
        """Return the mean over seeds of what was measured behind each layer; nothing without it."""
        of_seeds = [each.by_layer[name] for each in self.of(variant) if name in each.by_layer]
        return [sum(values) / len(values) for values in zip(*of_seeds, strict=True)]

    def curve(self, variant: str, measure: str) -> tuple[list[float], list[float]]:
        """Return steps of a training, and the mean over seeds of what was measured there."""
        of_seeds = [each.curve for each in self.of(variant)]
        steps = of_seeds[0]["step"] if of_seeds else []
        # Each seed is measured at the same steps.
        values = np.mean([each[measure][: len(steps)] for each in of_seeds], axis=0)
        return list(steps), values.tolist()

    @property
    def n_seeds(self) -> tuple[int, int]:
        """The fewest and the most trainings of a variant."""
        of_each = Counter(each.variant for each in self.trained).values()
        return min(of_each), max(of_each)

    @property
    def rates(self) -> dict[str, float]:
        """The learning rate of each variant, times that of the experiment's settings."""
        return {each.variant: each.rate for each in self.trained}

    @property
    def longer(self) -> Tried | None:
        """The base that was trained longer; None where none was."""
        return next((each for each in self.tried if each.times > 1), None)

    def estimate(self, variant: str, measure: str = "exact_match") -> Estimate:
        """Return the mean of a measure over the seeds of a variant that have it."""
        values = [each.value(measure) for each in self.of(variant)]
        return Estimate.of([value for value in values if value is not None])

    def has(self, variant: str, measure: str) -> bool:
        """Say whether every training of a variant has a measure."""
        found = self.of(variant)
        return bool(found) and all(each.value(measure) is not None for each in found)

    def measured(self, variant: str, measure: str) -> Estimate | None:
        """Return the mean of a measure; None where a training of the variant lacks it."""
        return self.estimate(variant, measure) if self.has(variant, measure) else None

    def any_has(self, measure: str) -> bool:
        """Say whether any training has a measure; in older files none has."""
        return any(each.value(measure) is not None for each in self.trained)

    def differences(self, variant: str, other: str, measure: str) -> list[float]:
        """Return a variant's measure less another's, of each seed for which both have it.

        Variants of a seed learn from the same batches, so that what a seed does to both goes out.
        """
        others = {each.seed: each.value(measure) for each in self.of(other)}
        pairs = [(each.value(measure), others.get(each.seed)) for each in self.of(variant)]
        return [one - two for one, two in pairs if one is not None and two is not None]

    def save(self, path: Path) -> None:
        """Write everything to a file."""
        written = json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"
        write_atomically(path, written.encode())

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what was saved.

        Raises:
            ValueError: The file holds something else.
            OSError: It cannot be read.
        """
        stored = json.loads(path.read_text(encoding="utf-8"))
        try:
            trained = tuple(Trained.read(each) for each in stored["trained"])
            tried = tuple(Tried(**each) for each in stored.get("tried", ()))
            return cls(**{**stored, "trained": trained, "tried": tried})
        except (KeyError, TypeError) as error:
            raise ValueError(f"{path} holds no results of an experiment: {error}") from error


# ---- tables, one for each view


FIGURES = ("exact_match", "n", "loss", "pronouns", "n_pronouns", "parameters")
"""What is measured in every training."""
CURVES = ("loss", "held_out_exact_match", "held_out_loss", "reward")
"""What may be measured in the course of a training."""
LAYERS = ("apart", "gradient", "drawn_apart", "drawn_gradient")
"""What may be measured behind each layer; see `Trained.by_layer`."""


def of_trainings(results: Results, variants: Sequence[str], measures: Sequence[str]) -> Table:
    """Return the figures of each training."""
    trained = [each for name in variants for each in results.of(name)]
    columns: dict[str, Sequence[object]] = {
        name: [getattr(each, name) for each in trained] for name in ("variant", "seed", *FIGURES)
    }
    return Table(columns | {name: [each.value(name) for each in trained] for name in measures})


def of_lengths(results: Results, variants: Sequence[str]) -> Table:
    """Return how many sentences of each length are right, all seeds of a variant together."""
    rows = (
        (name, length, n, right)
        for name in variants
        for length, (n, right) in results.by_length(name).items()
    )
    return Table.of_rows(("variant", "source_tokens", "sentences", "right"), rows)


def of_distances(results: Results, variants: Sequence[str]) -> Table:
    """Return the influence of a token at each distance, the mean over the seeds of a variant."""
    rows = (
        (name, distance, pairs, norm)
        for name in variants
        for distance, (pairs, norm) in results.by_distance(name).items()
    )
    return Table.of_rows(("variant", "tokens_away", "pairs", "gradient_norm"), rows)


def of_curves(results: Results, variants: Sequence[str]) -> Table:
    """Return each measurement in training, the mean over the seeds of a variant.

    A variant has None where it was not measured; what no variant was measured by has no column.
    """
    curves = {variant: _curves(results, variant) for variant in variants}
    measured = [name for name in CURVES if any(name in each for each in curves.values())]
    rows = (
        (variant, step, *(curve[name][at] if name in curve else None for name in measured))
        for variant, curve in curves.items()
        for at, step in enumerate(results.of(variant)[0].curve["step"])
    )
    return Table.of_rows(("variant", "step", *measured), rows)


def of_layers(results: Results, variants: Sequence[str]) -> Table:
    """Return what was measured behind each layer, the mean over the seeds of a variant."""
    rows = (
        (variant, layer, *values)
        for variant in variants
        for layer, values in enumerate(
            zip(*(results.by_layer(variant, name) for name in LAYERS), strict=True)
        )
    )
    return Table.of_rows(("variant", "layer", *LAYERS), rows)


def _curves(results: Results, variant: str) -> dict[str, list[float]]:
    """Return what was measured in every training of a variant."""
    curves = [each.curve for each in results.of(variant)]
    names = [name for name in CURVES if all(name in curve for curve in curves)]
    return {name: results.curve(variant, name)[1] for name in names}
