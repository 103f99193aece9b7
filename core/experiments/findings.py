"""What came out of an experiment, in words: also where the claim was not borne out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.experiments.experiment import BASE, WITHIN, Expected, Experiment
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


@dataclass(frozen=True, slots=True)
class Finding:
    """What came out for one variant."""

    variant: str
    """Its label; marked for translation."""
    share: Estimate
    """Held-out sentences without a mistake."""
    n: int
    """Held-out sentences of each seed."""
    less: Estimate | None
    """By how much that is less than the base's; None for the base."""
    verdict: Verdict | None
    """None where the claim says nothing of it."""


@dataclass(frozen=True, slots=True)
class Writing:
    """How figures and texts are written in a language; English by itself."""

    text: Callable[[str], str] = str
    share: Callable[[float], str] = lambda share: f"{100 * share:.1f} %"
    points: Callable[[float], str] = lambda points: f"{points:.1f}"
    count: Callable[[int], str] = lambda n: f"{n:,}"


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


def findings(experiment: Experiment, results: Results) -> list[Finding]:
    """Return what came out for each variant that was trained, the base first."""
    found = []
    for variant in experiment.variants:
        if not results.of(variant.name):
            continue
        less = None if variant.name == BASE else results.less(variant.name)
        found.append(
            Finding(
                variant=variant.label,
                share=results.estimate(variant.name),
                n=results.trained[0].n,
                less=less,
                verdict=None
                if less is None or variant.expected is None
                else verdict(variant.expected, less),
            )
        )
    return found


def verdicts(experiment: Experiment, results: Results) -> dict[str, Verdict]:
    """Return a verdict for each variant of which the claim says something."""
    names = [each.name for each in experiment.variants if results.of(each.name)]
    return {
        name: finding.verdict
        for name, finding in zip(names, findings(experiment, results), strict=True)
        if finding.verdict is not None
    }


def in_words(finding: Finding, writing: Writing | None = None) -> str:
    """Return a finding in a sentence or two.

    Args:
        finding: What came out.
        writing: In which language; None for English.
    """
    writing = writing or Writing()
    said = {"variant": writing.text(finding.variant), "share": writing.share(finding.share.mean)}
    less = finding.less
    if less is None:
        return writing.text(_BASE).format(**said, n=writing.count(finding.n))
    fewer = less.mean >= 0
    if less.n > 1:
        text = _FEWER if fewer else _MORE
        low, high = (less.low, less.high) if fewer else (-less.high, -less.low)
        said |= {"low": writing.points(100 * low), "high": writing.points(100 * high)}
        said["seeds"] = writing.count(less.n)
    else:
        text = _FEWER_ONCE if fewer else _MORE_ONCE
    line = writing.text(text).format(**said, points=writing.points(100 * abs(less.mean)))
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
    writing, measuring = writing or Writing(), experiment.measuring
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
    """Return all of it in English, a line a variant, then what else was measured."""
    lines = [in_words(each) for each in findings(experiment, results)]
    return lines + measured_in_words(experiment, results)
