"""Under which conditions an experiment was judged: what its settings and its trainings say."""

from dataclasses import dataclass

from core.studies.experiments.experiment import BASE, Experiment
from core.studies.experiments.results import Results

CHANCE = 0.5
"""A pronoun of the grammar has two nouns before it."""
KNOWN = 0.75
"""From here on pronouns are nearer to known than to guessed."""


@dataclass(frozen=True, slots=True)
class Pronouns:
    """How many ambiguous pronouns the trainings have right."""

    n: int
    """In each training."""
    low: float
    high: float
    """The least and the greatest share of all trainings."""
    known: tuple[str, ...]
    """The variants with a training that knows them."""
    variants: int


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all that is judged took place under."""

    steps: int
    before: int
    """Steps of the start that all begin with; 0 where they begin afresh."""
    seeds: int
    rate: float
    """The highest learning rate of the base."""
    parameters: tuple[int, int]
    """The fewest and the most that a variant has."""
    pronouns: Pronouns | None
    """None where the task has none."""


def conditions(experiment: Experiment, results: Results) -> Conditions:
    """Return under which conditions an experiment was judged."""
    base, start = experiment.variant(BASE), experiment.start
    sizes = [each.parameters for each in results.trained]
    return Conditions(
        steps=experiment.preset(base, 0).training.steps,
        before=experiment.preset(start, 0).training.steps if start else 0,
        seeds=len(results.seeds),
        rate=experiment.peak_rate(base),
        parameters=(min(sizes), max(sizes)),
        pronouns=_pronouns(experiment, results),
    )


def _pronouns(experiment: Experiment, results: Results) -> Pronouns | None:
    found = {
        variant.name: [
            each.pronouns for each in results.of(variant.name) if each.pronouns is not None
        ]
        for variant in experiment.variants
    }
    shares = [share for of_seeds in found.values() for share in of_seeds]
    if not shares:
        return None
    known = tuple(name for name, of_seeds in found.items() if max(of_seeds, default=0) >= KNOWN)
    n = results.trained[0].n_pronouns
    return Pronouns(n, min(shares), max(shares), known, sum(map(bool, found.values())))
