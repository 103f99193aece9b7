"""What came out of an experiment, in words: also where the claim was not borne out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.experiments.experiment import BASE, WITHIN, Expected, Experiment
from core.experiments.measures import EXACT_MATCH, Measure
from core.experiments.results import Estimate, Results
from core.messages import N_


class Verdict(StrEnum):
    """What the trainings say of a claim about a variant."""

    HOLDS = "holds"
    FAILS = "fails"
    OPEN = "open"
    """The interval allows both; with one seed always."""


VERDICTS = {
    Verdict.HOLDS: N_("As claimed."),
    Verdict.FAILS: N_("Not as claimed."),
    Verdict.OPEN: N_("Too few seeds to tell."),
}
"""Verdict → what is said of it."""
_SHARES = N_("{variant}: {what} after {measures} (95 % intervals; {seeds} seeds).")
_SHARES_ONCE = N_("{variant}: {what} after {measures} (one seed: no interval).")
_SECONDS = N_("{variant}: milliseconds for a sentence: {measures}.")
_WITH_INTERVAL = N_("{measure} {share} ({low} to {high})")
_WITHOUT = N_("{measure} {share}")
_BASE = N_("{variant}: {share} of {n} sentences right.")
_FEWER = N_("{variant}: {share}, {points} points fewer (95 %: {low} to {high}; {seeds} seeds).")
_MORE = N_("{variant}: {share}, {points} points more (95 %: {low} to {high}; {seeds} seeds).")
_FEWER_ONCE = N_("{variant}: {share}, {points} points fewer (one seed: no interval).")
_MORE_ONCE = N_("{variant}: {share}, {points} points more (one seed: no interval).")
_VALUE = N_("{variant}: {measure} {share}.")
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
    """By how much that is less than the base's; None for the base."""
    verdict: Verdict | None
    """None where the claim says nothing of it."""
    measure: Measure | None = None
    """None for held-out sentences without a mistake."""
    complete: bool = True
    """Whether every training of the variant has the measure."""


@dataclass(frozen=True, slots=True)
class Writing:
    """How figures and texts are written in a language; English by itself."""

    text: Callable[[str], str] = str
    share: Callable[[float], str] = lambda share: f"{100 * share:.1f} %"
    points: Callable[[float], str] = lambda points: f"{points:.1f}"
    count: Callable[[int], str] = lambda n: f"{n:,}"
    number: Callable[[float], str] = lambda value: f"{value:,.1f}"


def verdict(expected: Expected, less: Estimate) -> Verdict:
    """Judge a claim by how much less a variant has right than the base.

    >>> verdict(Expected.LESS, Estimate(0.3, 0.2, 0.4, 3))
    <Verdict.HOLDS: 'holds'>
    >>> verdict(Expected.AS_GOOD, Estimate(0.3, 0.2, 0.4, 3))
    <Verdict.FAILS: 'fails'>
    >>> verdict(Expected.LESS, Estimate(0.3, -0.1, 0.7, 3))
    <Verdict.OPEN: 'open'>
    >>> verdict(Expected.MORE, Estimate(-0.3, -0.4, -0.2, 3))
    <Verdict.HOLDS: 'holds'>
    >>> verdict(Expected.NO_MORE, Estimate(0.04, -0.01, 0.09, 3))
    <Verdict.HOLDS: 'holds'>
    """
    turned = {Expected.MORE: Expected.LESS, Expected.NO_MORE: Expected.AS_GOOD}
    if expected in turned:
        expected, less = turned[expected], Estimate(-less.mean, -less.high, -less.low, less.n)
    if expected is Expected.LESS:
        if less.low > 0:
            return Verdict.HOLDS
        return Verdict.FAILS if less.high <= 0 else Verdict.OPEN
    if less.high <= WITHIN:
        return Verdict.HOLDS
    return Verdict.FAILS if less.low > WITHIN else Verdict.OPEN


def findings(
    experiment: Experiment, results: Results, measure: Measure | None = None
) -> list[Finding]:
    """Return what came out for each variant that was trained, the base first.

    Args:
        experiment: The question.
        results: Its trainings.
        measure: One of the experiment's; None for exact match.
    """
    found = []
    name = EXACT_MATCH if measure is None else measure.name
    for variant in experiment.variants:
        if not results.of(variant.name):
            continue
        complete = results.has(variant.name, name)
        compared = variant.name != BASE and complete and results.has(BASE, name)
        less = results.less(variant.name, name) if compared else None
        expected = variant.expected if name == experiment.judged_by else None
        found.append(
            Finding(
                variant=variant.label,
                share=results.estimate(variant.name, name) if complete else Estimate(0.0, 0, 0, 0),
                n=results.trained[0].n,
                less=less,
                verdict=None if less is None or expected is None else verdict(expected, less),
                measure=measure,
                complete=complete,
            )
        )
    return found


def all_findings(experiment: Experiment, results: Results) -> list[Finding]:
    """Return what came out by exact match, and then by each further measure of an experiment.

    A measure that no training has, as in older files, is left out.
    """
    measured = [each for each in experiment.measures if each.told and results.any_has(each.name)]
    by = (None, *measured)
    return [finding for each in by for finding in findings(experiment, results, each)]


def verdicts(experiment: Experiment, results: Results) -> dict[str, Verdict]:
    """Return a verdict for each variant of which the claim says something."""
    names = {each.label: each.name for each in experiment.variants}
    return {
        names[finding.variant]: finding.verdict
        for finding in all_findings(experiment, results)
        if finding.verdict is not None
    }


def in_words(finding: Finding, writing: Writing | None = None) -> str:
    """Return a finding in a sentence or two.

    Args:
        finding: What came out.
        writing: In which language; None for English.
    """
    writing = writing or Writing()
    measure, less = finding.measure, finding.less
    in_percent = measure is None or measure.share
    value = writing.share if in_percent else writing.number
    said = {"variant": writing.text(finding.variant), "share": value(finding.share.mean)}
    if measure is not None:
        said["measure"] = writing.text(measure.label)
    if less is None:
        said |= {"n": writing.count(finding.n), "seeds": writing.count(finding.share.n)}
        text = _BASE if measure is None else _VALUE if finding.complete else _MISSING
        return writing.text(text).format(**said)
    fewer = less.mean >= 0
    once, often = (_OF_SENTENCES if measure is None else _OF_A_MEASURE)[not fewer]
    scale, points = (100, writing.points) if in_percent else (1, writing.number)
    if less.n > 1:
        low, high = (less.low, less.high) if fewer else (-less.high, -less.low)
        said |= {"low": points(scale * low), "high": points(scale * high)}
        said["seeds"] = writing.count(less.n)
    text = often if less.n > 1 else once
    line = writing.text(text).format(**said, points=points(scale * abs(less.mean)))
    if finding.verdict is None:
        return line
    return f"{line} {writing.text(VERDICTS[finding.verdict])}"


def measured_in_words(
    experiment: Experiment, results: Results, writing: Writing | None = None
) -> list[str]:
    """Return in sentences what an experiment measures beside the usual figures, by variant.

    Args:
        experiment: Which; one that measures nothing else has nothing to say.
        results: What was measured; older files may lack it.
        writing: In which language; None for English.
    """
    writing, measuring = writing or Writing(), experiment.by_passes
    if measuring is None:
        return []
    said = []
    for variant in experiment.variants:
        for unit in ("share", "seconds"):
            found = {
                measure.label: estimate
                for measure in measuring.by_unit(unit)
                if (estimate := results.measured(variant.name, measure.name)) is not None
            }
            if found:
                named = writing.text(variant.label), writing.text(measuring.what)
                said.append(_measures(named, unit, found, writing))
    return said


def _measures(
    named: tuple[str, str], unit: str, found: Mapping[str, Estimate], writing: Writing
) -> str:
    """Say what a variant's measures of a unit are; `named` are the variant, and shares of what."""
    parts = []
    for label, each in found.items():
        if unit == "seconds":
            figures = {"share": writing.points(1000 * each.mean)}
        else:
            bounds = {"low": max(each.low, 0.0), "high": min(each.high, 1.0)}
            figures = {"share": writing.share(each.mean)}
            figures |= {name: writing.share(bound) for name, bound in bounds.items()}
        with_interval = unit == "share" and each.n > 1
        text = writing.text(_WITH_INTERVAL if with_interval else _WITHOUT)
        parts.append(text.format(measure=writing.text(label), **figures))
    variant, what = named
    n_seeds = next(iter(found.values())).n
    text = _SECONDS if unit == "seconds" else _SHARES if n_seeds > 1 else _SHARES_ONCE
    return writing.text(text).format(
        variant=variant, what=what, measures=", ".join(parts), seeds=writing.count(n_seeds)
    )


def what_came_out(experiment: Experiment, results: Results) -> list[str]:
    """Return all of it in English, a line a variant and measure, then by passes."""
    lines = [in_words(each) for each in all_findings(experiment, results)]
    return lines + measured_in_words(experiment, results)
