"""What came out of an experiment: verdicts on its claim by intervals, and findings in words."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from ...messages import N_
from .experiment import BASE, WITHIN, Expected, Experiment, Variant
from .measures import EXACT_MATCH, Measure
from .results import Estimate, Results


class Verdict(StrEnum):
    """What the trainings say of a claim about a variant."""

    HOLDS = "holds"
    FAILS = "fails"
    OPEN = "open"


class Reason(StrEnum):
    """Why."""

    CLEAR = "clear"
    """The whole interval lies on the claimed side, or on the other one."""
    EQUAL = "equal"
    """The interval goes no farther than the margin: as good."""
    BOTH = "both"
    """The interval allows both; with one seed always."""
    UNLEARNED = "unlearned"
    """The base would reach more if it were trained longer, or that was not tried."""


ENOUGH = 0.95
"""The base has learned its task where it reaches this share of what longer training reaches."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and its reason."""

    verdict: Verdict
    reason: Reason
    figure: float = 0.0
    """Where it is as good, by how much it differs at most on the side that the claim is about."""


def judge(expected: Expected, less: Estimate, within: float = WITHIN) -> Judgement:
    """Judge a claim by how much less a variant has than what it is compared with.

    Args:
        expected: What is claimed of the variant.
        less: The difference with its 95 % interval.
        within: The margin of "as good"; 0 for a measure that has none.

    >>> judge(Expected.LESS, Estimate(0.3, 0.2, 0.4, 3)).verdict
    <Verdict.HOLDS: 'holds'>
    >>> judge(Expected.LESS, Estimate(0.0, -0.01, 0.02, 3))
    Judgement(verdict=<Verdict.FAILS: 'fails'>, reason=<Reason.EQUAL: 'equal'>, figure=0.02)
    >>> judge(Expected.AS_GOOD, Estimate(0.06, 0.02, 0.1, 3)).reason
    <Reason.CLEAR: 'clear'>
    """
    low, high = less.low, less.high
    if expected in (Expected.MORE, Expected.NO_MORE):
        low, high = -high, -low
    as_good = expected in (Expected.AS_GOOD, Expected.NO_MORE)
    equal, other = (Verdict.HOLDS, Verdict.FAILS) if as_good else (Verdict.FAILS, Verdict.HOLDS)
    if high < 0:
        return Judgement(equal, Reason.CLEAR)
    if low > 0 and (high > within or not as_good):
        return Judgement(other, Reason.CLEAR)
    if high <= within:
        return Judgement(equal, Reason.EQUAL, high)
    return Judgement(Verdict.OPEN, Reason.BOTH)


def judged(
    experiment: Experiment, results: Results, variant: Variant, less: Estimate, within: float
) -> Judgement | None:
    """Judge a variant by the measure that the claim is about; None where nothing is claimed.

    No interval decides anything as long as the base has not learned its task.
    """
    if variant.expected is None:
        return None
    if (learned_share(experiment, results) or 0.0) < ENOUGH:
        return Judgement(Verdict.OPEN, Reason.UNLEARNED)
    return judge(variant.expected, less, within)


def learned_share(experiment: Experiment, results: Results) -> float | None:
    """Return which share the base has of what it reaches with `LONGER` times as many steps.

    Returns:
        None where it was not trained longer.
    """
    longer = results.longer
    if longer is None:
        return None
    measure = experiment.measure(experiment.judged_by)
    if measure is not None and measure.fewer_is_better:
        # What falls with training tells nothing of how much is learned.
        return 1.0
    # Seed by seed, as everything is compared.
    [base] = [each for each in results.of(BASE) if each.seed == 0]
    found = base.value(experiment.judged_by)
    return 1.0 if not longer.figure or found is None else found / longer.figure


# ---- influence by distance, gradients by layer


@dataclass(frozen=True, slots=True)
class Fall:
    """What is left of the influence of a token, from near to far."""

    variant: str
    near: float
    """Gradient norm relative to a position's own token, mean over seeds."""
    far: float
    reach: int
    """The farthest distance at which anything is left."""

    @property
    def times(self) -> float:
        """How many times less the far one is; infinite where nothing is left."""
        return self.near / self.far if self.far else math.inf


def fall(results: Results, variant: str, near: int, far: int) -> Fall:
    """Return how much less a token does at one distance than at another, mean over seeds."""
    found = results.by_distance(variant)
    reach = max(distance for distance, (_n, norm) in found.items() if norm)
    return Fall(variant, found[near][1], found[far][1], min(reach, far))


VANISHED = 0.1
"""A gradient has vanished where less than this share is left."""


def vanishes(results: Results, variant: str, name: str) -> bool | None:
    """Say whether a variant's gradient vanishes on its way back to the embeddings.

    Returns:
        None where it does in some trainings alone.
    """
    found = {each.by_layer[name][0] < VANISHED for each in results.of(variant)}
    return found.pop() if len(found) == 1 else None


CLAIMS = {
    Expected.LESS: N_("claim: lower"),
    Expected.AS_GOOD: N_("claim: as good"),
    Expected.MORE: N_("claim: higher"),
    Expected.NO_MORE: N_("claim: no higher"),
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
    (Verdict.OPEN, Reason.UNLEARNED): N_(
        "Undecided ({claim}): it was not shown that “{base}” is trained long enough."
    ),
}
"""Verdict, reason → the sentence."""
_AS_GOOD = {
    Verdict.HOLDS: N_(
        "Borne out ({claim}): at most {bound} points {side}, within the margin of {margin}."
    ),
    Verdict.FAILS: N_(
        "Refuted ({claim}): at most {bound} points {side}, within the margin of {margin}."
    ),
}
"""The same where a variant is as good."""
_WORSE, _BETTER = N_("worse"), N_("better")
_AGAINST = N_("{variant}, compared with “{other}”")
_VALUE = N_("{variant}: {measure} {value} ({interval}).")
_LESS = N_("{variant}: {measure} {value}, {points} less ({interval}).")
_MORE = N_("{variant}: {measure} {value}, {points} more ({interval}).")
_MISSING = N_("{variant}: {measure} not reached in every training.")
_INTERVAL = N_("95 %: {low} to {high}; {seeds} seeds")
_ONCE = N_("one seed: no interval")
CORRECT = N_("correct sentences")


class Comparison(StrEnum):
    """How a variant does beside what it is compared with."""

    AS_GOOD = "as_good"
    BETTER = "better"
    WORSE = "worse"
    NOTHING = "nothing"
    """Worse: not one sentence is right."""
    NO_BETTER = "no_better"
    """As good, or worse; where the claim says better."""
    UNCLEAR = "unclear"
    """The interval allows both."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came out for one variant."""

    name: str
    """The variant's."""
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

    @property
    def comparison(self) -> Comparison | None:
        """How the variant does, by the interval of the difference; None without one."""
        if self.less is None:
            return None
        claimed = None if self.judged is None else self.expected
        found = judge(claimed or Expected.AS_GOOD, self.less, margin(self.measure))
        if found.reason is Reason.BOTH:
            return Comparison.UNCLEAR
        if found.reason is Reason.EQUAL:
            no_better = claimed in (Expected.MORE, Expected.NO_MORE)
            return Comparison.NO_BETTER if no_better else Comparison.AS_GOOD
        fewer_is_better = self.measure is not None and self.measure.fewer_is_better
        if (self.less.mean > 0) == fewer_is_better:
            return Comparison.BETTER
        nothing = self.measure is None and self.share.mean == 0
        return Comparison.NOTHING if nothing else Comparison.WORSE


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
    points: Callable[[float], str] = lambda points: f"{points:z.1f}"
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
            judgement = judged(experiment, results, variant, less, margin(measure))
        found.append(
            Finding(
                name=variant.name,
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


def in_words(finding: Finding, writing: Writing | None = None) -> str:
    """Return a finding in a sentence or two."""
    writing = writing or Writing()
    measure, less = finding.measure, finding.less
    in_percent = measure is None or measure.share
    value = writing.share if in_percent else writing.number
    variant = writing.text(finding.variant)
    if finding.against:
        other = writing.text(finding.against)
        variant = writing.text(_AGAINST).format(variant=variant, other=other)
    scale, points = (100, writing.points) if in_percent else (1, writing.number)
    text, found, write = _VALUE, finding.share, value
    if less is not None:
        text = _LESS if less.mean >= 0 else _MORE
        turned = less if less.mean >= 0 else Estimate(-less.mean, -less.high, -less.low, less.n)
        found, write = turned, lambda figure: points(scale * figure)
    elif not finding.complete:
        text = _MISSING
    elif in_percent:
        found = replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))
    interval = writing.text(_ONCE)
    if found.n > 1:
        interval = writing.text(_INTERVAL).format(
            low=write(found.low), high=write(found.high), seeds=writing.count(found.n)
        )
    line = writing.text(text).format(
        variant=variant,
        measure=writing.text(CORRECT if measure is None else measure.label),
        value=value(finding.share.mean),
        points=write(found.mean),
        interval=interval,
    )
    return f"{line} {why(finding, writing)}" if finding.judged else line


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
        bound, margin = writing.points(100 * figure), writing.count(round(100 * WITHIN))
        more = finding.expected in (Expected.MORE, Expected.NO_MORE)
        side = writing.text(_BETTER if more else _WORSE)
        text = writing.text(_AS_GOOD[verdict])
        return text.format(claim=claim, bound=bound, side=side, margin=margin)
    text = writing.text(_VERDICTS[verdict, reason])
    return text.format(claim=claim, base=writing.text(finding.base))


def what_came_out(experiment: Experiment, results: Results) -> list[str]:
    """Return all of it in English, a line a variant and measure."""
    return [in_words(each) for each in all_findings(experiment, results)]
