"""What came out of an experiment, in words: also where the claim was not borne out."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from core.messages import N_
from core.studies.experiments.experiment import BASE, WITHIN, Expected, Experiment
from core.studies.experiments.measures import EXACT_MATCH, Measure
from core.studies.experiments.results import Estimate, Results
from core.studies.experiments.verdicts import Judgement, Reason, Verdict, judged

CLAIMS = {
    Expected.LESS: N_("claimed lower"),
    Expected.AS_GOOD: N_("claimed as good"),
    Expected.MORE: N_("claimed higher"),
    Expected.NO_MORE: N_("claimed no higher"),
}
_VERDICTS = {
    (Verdict.HOLDS, Reason.CLEAR): N_(
        "Borne out ({claim}): the whole interval lies on the claimed side of 0."
    ),
    (Verdict.FAILS, Reason.CLEAR): N_(
        "Refuted ({claim}): the whole interval lies on the other side of 0."
    ),
    (Verdict.OPEN, Reason.BOTH): N_(
        "Undecided ({claim}): the interval allows both, too few seeds to tell."
    ),
    (Verdict.OPEN, Reason.TASK): N_(
        "Not judged ({claim}): what is learned here does not test the claim."
    ),
    (Verdict.OPEN, Reason.RATE): N_(
        "Not judged ({claim}): its peak learning rate is {times} times that of “{base}”."
    ),
}
"""Verdict, reason → the sentence."""
_LOWER = {
    Verdict.HOLDS: N_("Borne out ({claim}): at most {bound} lower, within the margin of {margin}."),
    Verdict.FAILS: N_("Refuted ({claim}): at most {bound} lower, within the margin of {margin}."),
}
_HIGHER = {
    Verdict.HOLDS: N_(
        "Borne out ({claim}): at most {bound} higher, within the margin of {margin}."
    ),
    Verdict.FAILS: N_("Refuted ({claim}): at most {bound} higher, within the margin of {margin}."),
}
"""The same of what is as good."""
_AGAINST = N_("{variant}, compared with “{other}”")
_BASE = N_("{variant}: {share} of {n} sentences right.")
_FEWER = N_("{variant}: {share}, {points} points fewer (95 %: {low} to {high}; {seeds} seeds).")
_MORE = N_("{variant}: {share}, {points} points more (95 %: {low} to {high}; {seeds} seeds).")
_FEWER_ONCE = N_("{variant}: {share}, {points} points fewer (one seed: no interval).")
_MORE_ONCE = N_("{variant}: {share}, {points} points more (one seed: no interval).")
_VALUE = N_("{variant}: {measure} {share} (95 %: {low} to {high}; {seeds} seeds).")
_VALUE_ONCE = N_("{variant}: {measure} {share}.")
_VALUE_LESS = N_(
    "{variant}: {measure} {share}, {points} less (95 %: {low} to {high}; {seeds} seeds)."
)
_VALUE_MORE = N_(
    "{variant}: {measure} {share}, {points} more (95 %: {low} to {high}; {seeds} seeds)."
)
_VALUE_LESS_ONCE = N_("{variant}: {measure} {share}, {points} less (one seed: no interval).")
_VALUE_MORE_ONCE = N_("{variant}: {measure} {share}, {points} more (one seed: no interval).")
_MISSING = N_("{variant}: {measure} not reached in every training.")
_OF_SENTENCES = ((_FEWER_ONCE, _FEWER), (_MORE_ONCE, _MORE))
_OF_A_MEASURE = ((_VALUE_LESS_ONCE, _VALUE_LESS), (_VALUE_MORE_ONCE, _VALUE_MORE))
"""Less or more → with one seed, with several."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came out for one variant."""

    variant: str
    """Its label; marked for translation."""
    share: Estimate
    """Held-out sentences without a mistake, or another measure."""
    n: int
    """Held-out sentences of each seed."""
    less: Estimate | None
    """By how much that is less than what it is compared with; None where that is nothing."""
    judged: Judgement | None
    """None where the claim says nothing of it."""
    expected: Expected | None = None
    against: str = ""
    """The label of what it is compared with, where that is not the base."""
    base: str = ""
    """The label of the base."""
    measure: Measure | None = None
    """None for held-out sentences without a mistake."""
    complete: bool = True
    """Whether every training of the variant has the measure."""


def decimals(value: float) -> int:
    """Return how many decimals show two digits of a small number, and one of others.

    >>> [f"{value:.{decimals(value)}f}" for value in (466.67, 0.0631, -0.0345, 0.0)]
    ['466.7', '0.063', '-0.035', '0.0']
    """
    return 1 if value == 0 else max(1, 1 - math.floor(math.log10(abs(value))))


@dataclass(frozen=True, slots=True)
class Writing:
    """How figures and texts are written in a language; English by itself."""

    text: Callable[[str], str] = str
    share: Callable[[float], str] = lambda share: f"{100 * share:.1f} %"
    points: Callable[[float], str] = lambda points: f"{points:.1f}"
    count: Callable[[int], str] = lambda n: f"{n:,}"
    number: Callable[[float], str] = lambda value: f"{value:,.{decimals(value)}f}"


def margin(measure: Measure | None) -> float:
    """Return by how much a measure may be less that is as good; None is right sentences."""
    return WITHIN if measure is None or measure.share else 0.0


def findings(
    experiment: Experiment, results: Results, measure: Measure | None = None
) -> list[Finding]:
    """Return what came out for each variant that was trained, the base first.

    A variant is left out where none of its trainings has the measure.
    """
    found = []
    name = EXACT_MATCH if measure is None else measure.name
    for variant in experiment.variants:
        if all(each.value(name) is None for each in results.of(variant.name)):
            continue
        complete = results.has(variant.name, name)
        other = experiment.compared(variant)
        less = None
        if other is not None and complete and results.has(other.name, name):
            less = Estimate.of(results.differences(other.name, variant.name, name))
        judgement = None
        if less is not None and name == experiment.judged_by:
            judgement = judged(experiment, variant, less, margin(measure))
        found.append(
            Finding(
                variant=variant.label,
                share=results.estimate(variant.name, name) if complete else Estimate(0.0, 0, 0, 0),
                n=results.trained[0].n,
                less=less,
                judged=judgement,
                expected=variant.expected,
                against=other.label if other is not None and other.name != BASE else "",
                base=experiment.variant(BASE).label,
                measure=measure,
                complete=complete,
            )
        )
    return found


def all_findings(experiment: Experiment, results: Results) -> list[Finding]:
    """Return what came out by exact match, and then by each further measure of an experiment.

    A measure that no training has, as in older files, is left out.
    """
    measured = [
        each for each in experiment.measures if each.reported and results.any_has(each.name)
    ]
    by = (None, *measured)
    return [finding for each in by for finding in findings(experiment, results, each)]


def verdicts(experiment: Experiment, results: Results) -> dict[str, Verdict]:
    """Return a verdict for each variant that the claim is about."""
    names = {each.label: each.name for each in experiment.variants}
    return {
        names[finding.variant]: finding.judged.verdict
        for finding in all_findings(experiment, results)
        if finding.judged is not None
    }


def in_words(finding: Finding, writing: Writing | None = None) -> str:
    """Return a finding in a sentence or two."""
    writing = writing or Writing()
    measure, less = finding.measure, finding.less
    in_percent = measure is None or measure.share
    value = writing.share if in_percent else writing.number
    said = {"variant": writing.text(finding.variant), "share": value(finding.share.mean)}
    if finding.against:
        other = writing.text(finding.against)
        said["variant"] = writing.text(_AGAINST).format(variant=said["variant"], other=other)
    if measure is not None:
        said["measure"] = writing.text(measure.label)
    if less is None:
        return _of_one(finding, writing, said, value)
    fewer = less.mean >= 0
    once, often = (_OF_SENTENCES if measure is None else _OF_A_MEASURE)[not fewer]
    scale, points = (100, writing.points) if in_percent else (1, writing.number)
    if less.n > 1:
        low, high = (less.low, less.high) if fewer else (-less.high, -less.low)
        said |= {"low": points(scale * low), "high": points(scale * high)}
        said["seeds"] = writing.count(less.n)
    text = often if less.n > 1 else once
    line = writing.text(text).format(**said, points=points(scale * abs(less.mean)))
    return f"{line} {why(finding, writing)}" if finding.judged else line


def _of_one(
    finding: Finding, writing: Writing, said: dict[str, str], value: Callable[[float], str]
) -> str:
    """Return what a variant has that is compared with nothing."""
    share, text = finding.share, _VALUE_ONCE
    said |= {"n": writing.count(finding.n), "seeds": writing.count(share.n)}
    if finding.measure is None:
        text = _BASE
    elif not finding.complete:
        text = _MISSING
    elif share.n > 1:
        text = _VALUE
        low, high = share.low, share.high
        if finding.measure.share:
            low, high = max(low, 0.0), min(high, 1.0)
        said |= {"low": value(low), "high": value(high)}
    return writing.text(text).format(**said)


def why(finding: Finding, writing: Writing) -> str:
    """Return the verdict on a finding with its reason; empty where nothing is claimed."""
    if finding.judged is None or finding.expected is None:
        return ""
    claim = writing.text(CLAIMS[finding.expected])
    verdict, reason, figure = (
        finding.judged.verdict,
        finding.judged.reason,
        finding.judged.figure,
    )
    if reason is Reason.EQUAL:
        higher = finding.expected in (Expected.MORE, Expected.NO_MORE)
        said = {"bound": writing.points(100 * figure), "margin": writing.count(round(100 * WITHIN))}
        return writing.text((_HIGHER if higher else _LOWER)[verdict]).format(claim=claim, **said)
    text = writing.text(_VERDICTS[verdict, reason])
    return text.format(claim=claim, times=writing.points(figure), base=writing.text(finding.base))


def what_came_out(experiment: Experiment, results: Results) -> list[str]:
    """Return all of it in English, a line a variant and measure."""
    return [in_words(each) for each in all_findings(experiment, results)]
