"""What variants gain over the weights that they all begin with, seed by seed.

Seeds differ in how good their start is by as much as what is gained, so that means of their own
say little: each training is compared with its own start.
"""

from dataclasses import dataclass

from core.experiments.experiment import Expected, Experiment, Variant
from core.experiments.findings import Verdict, verdict
from core.experiments.results import Estimate, Results


@dataclass(frozen=True, slots=True)
class Gain:
    """By how much a measure of a variant is more than that of its start."""

    variant: Variant
    more: Estimate
    of_seeds: tuple[float, ...]


def gains(experiment: Experiment, results: Results, measure: str) -> list[Gain]:
    """Return what each variant gained, the start first as far as that is how they are shown.

    Args:
        experiment: One in which all begin with the same weights; of others nothing is returned.
        results: Its trainings.
        measure: A name.
    """
    start = experiment.start
    if start is None or not results.has(start.name, measure):
        return []
    found = []
    for variant in experiment.shown:
        if results.has(variant.name, measure):
            of_seeds = results.differences(variant.name, start.name, measure)
            found.append(Gain(variant, Estimate.of(of_seeds), tuple(of_seeds)))
    return found


@dataclass(frozen=True, slots=True)
class Gained:
    """What the best of those variants says that are claimed to gain more than the base."""

    variant: Variant
    than_control: Verdict
    """Whether it gained more than the control."""
    than_base: Verdict
    """Whether it gained more than the base."""


def best_gain(experiment: Experiment, results: Results, measure: str) -> Gained | None:
    """Return the claimed variant with the largest gain, held against the control and the base.

    Returns:
        None where there is no control, or it was not trained.
    """
    claimed = [
        each
        for each in gains(experiment, results, measure)
        if each.variant.expected is Expected.MORE
    ]
    if not claimed or not results.has(experiment.control, measure):
        return None
    best = max(claimed, key=lambda each: each.more.mean).variant
    control = results.more(experiment.control, best.name, measure)
    return Gained(
        best,
        than_control=verdict(Expected.MORE, control),
        than_base=verdict(Expected.MORE, results.less(best.name, measure)),
    )
