"""What came out of an experiment, in words: also where the claim was not borne out."""

from enum import StrEnum

from core.experiments.experiment import BASE, WITHIN, Expected, Experiment, Variant
from core.experiments.results import Estimate, Results


class Verdict(StrEnum):
    """What the trainings say of a claim about a variant."""

    HOLDS = "holds"
    FAILS = "fails"
    OPEN = "open"
    """The interval allows both; with one seed always."""


def verdict(expected: Expected, less: Estimate) -> Verdict:
    """Judge a claim by how much less a variant has right than the base.

    >>> verdict(Expected.LESS, Estimate(0.3, 0.2, 0.4, 3))
    <Verdict.HOLDS: 'holds'>
    >>> verdict(Expected.AS_GOOD, Estimate(0.3, 0.2, 0.4, 3))
    <Verdict.FAILS: 'fails'>
    >>> verdict(Expected.LESS, Estimate(0.3, -0.1, 0.7, 3))
    <Verdict.OPEN: 'open'>
    """
    if expected is Expected.LESS:
        if less.low > 0:
            return Verdict.HOLDS
        return Verdict.FAILS if less.high <= 0 else Verdict.OPEN
    if less.high <= WITHIN:
        return Verdict.HOLDS
    return Verdict.FAILS if less.low > WITHIN else Verdict.OPEN


def verdicts(experiment: Experiment, results: Results) -> dict[str, Verdict]:
    """Return a verdict for each variant of which the claim says something."""
    return {
        variant.name: verdict(variant.expected, results.less(variant.name))
        for variant in experiment.variants
        if variant.expected is not None and results.of(variant.name)
    }


def what_came_out(experiment: Experiment, results: Results) -> list[str]:
    """Return it in sentences, the base first."""
    found = verdicts(experiment, results)
    base = experiment.variant(BASE)
    lines = [f"{base.label}: {_share(results.estimate(BASE))} of {_n(results)} sentences right."]
    for variant in experiment.variants[1:]:
        if results.of(variant.name):
            lines.append(_line(variant, results, found.get(variant.name)))
    return lines


def _line(variant: Variant, results: Results, found: Verdict | None) -> str:
    less = results.less(variant.name)
    how = "fewer" if less.mean >= 0 else "more"
    low, high = sorted((less.low, less.high)) if less.mean >= 0 else (-less.high, -less.low)
    interval = (
        f" (95 %: {100 * low:.1f} to {100 * high:.1f}; {less.n} seeds)"
        if less.n > 1
        else " (one seed: no interval)"
    )
    said = {
        None: "",
        Verdict.HOLDS: " As claimed.",
        Verdict.FAILS: " Not as claimed.",
        Verdict.OPEN: " Too few seeds to tell.",
    }[found]
    return (
        f"{variant.label}: {_share(results.estimate(variant.name))}, "
        f"{100 * abs(less.mean):.1f} points {how}{interval}.{said}"
    )


def _share(found: Estimate) -> str:
    return f"{100 * found.mean:.1f} %"


def _n(results: Results) -> str:
    return f"{results.trained[0].n:,}"
