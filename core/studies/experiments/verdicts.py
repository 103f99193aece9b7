"""What an interval says of a claim: borne out, refuted, or undecided, and why."""

import math
from dataclasses import dataclass
from enum import StrEnum

from .experiment import BASE, WITHIN, Expected, Experiment, Variant
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
