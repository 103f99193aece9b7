"""What variants gain over the weights that they all begin with, seed by seed.

Seeds differ in how good their start is by as much as what is gained, so that means of their own
say little: each training is compared with its own start.
"""

from dataclasses import dataclass

from core.messages import N_
from core.studies.experiments.experiment import Expected, Experiment, Variant
from core.studies.experiments.findings import Writing
from core.studies.experiments.results import Estimate, Results
from core.studies.experiments.verdicts import Verdict, judge


@dataclass(frozen=True, slots=True)
class Gain:
    """By how much a measure of a variant is more than that of its start."""

    variant: Variant
    more: Estimate
    of_seeds: tuple[float, ...]


def gains(experiment: Experiment, results: Results, measure: str) -> list[Gain]:
    """Return what each variant gained, the start first as far as that is how they are shown."""
    start = experiment.start
    if start is None or not results.has(start.name, measure):
        return []
    found = []
    for variant in experiment.shown:
        if results.has(variant.name, measure):
            of_seeds = results.differences(variant.name, start.name, measure)
            found.append(Gain(variant, Estimate.of(of_seeds), tuple(of_seeds)))
    return found


_GAINED = N_(
    "{variant}: {measure} gained over its own start: {points} (95 %: {low} to {high}; {seeds} "
    "seeds)."
)
_GAINED_ONCE = N_(
    "{variant}: {measure} gained over its own start: {points} (one seed: no interval)."
)


def gains_in_words(
    experiment: Experiment, results: Results, writing: Writing | None = None
) -> list[str]:
    """Return in sentences what each variant gained, of what the claim is about."""
    writing, judged = writing or Writing(), experiment.measure(experiment.judged_by)
    if judged is None or judged.share:
        return []
    said = []
    for each in gains(experiment, results, judged.name):
        if each.variant == experiment.start:
            continue
        text = writing.text(_GAINED if each.more.n > 1 else _GAINED_ONCE)
        figures = {"points": each.more.mean, "low": each.more.low, "high": each.more.high}
        said.append(
            text.format(
                variant=writing.text(each.variant.label),
                measure=writing.text(judged.label),
                seeds=writing.count(each.more.n),
                **{name: writing.points(value) for name, value in figures.items()},
            )
        )
    return said


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
        than_control=judge(Expected.MORE, control, within=0.0).verdict,
        than_base=judge(Expected.MORE, results.less(best.name, measure), within=0.0).verdict,
    )
