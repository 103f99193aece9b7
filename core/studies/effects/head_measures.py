"""Every head as a point: any two measures of what it looks at, what it adds and what it costs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ...evaluate.intervals import Difference, rank_correlation
from ...heads import Head
from ..heads.roles import HeadRole, HeadRoles
from ..heads.row_statistics import RowStatistics
from ..heads.text_roles import TextRoles
from .head_effects import HeadEffects

SHARP = 0.5
"""A head is called sharp from this mean largest weight on."""
N_OUTLIERS = 5
"""Heads that are named because they lie farthest from the others."""
RANDOM = "random_"
"""Begins the name of a role that was measured on random tokens."""


class Measure(StrEnum):
    """A number of every head; each role of `core.studies.heads.question.Role` is one, too."""

    LARGEST_WEIGHT = "largest_weight"
    """The largest weight of a row, the mean over rows; the baseline is an even row's."""
    ENTROPY = "entropy"
    """The entropy of a row as a share of an even row's, the mean over rows."""
    DISTANCE = "distance"
    """`RowStatistics.distance`, in positions; the baseline is an even row's."""
    ADDED = "added"
    """`RowStatistics.added`, a share."""
    EXACT_MATCH = "exact_match_lost"
    """By how much silencing the head lowers the share of exact matches."""
    PRONOUN = "pronouns_lost"
    """By how much silencing it lowers the share of correct pronouns."""
    LOSS = "loss_added"
    """By how much silencing it raises the loss, in nats per token."""


COSTS = (Measure.EXACT_MATCH, Measure.PRONOUN, Measure.LOSS)
"""What silencing a head costs."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of one head."""

    value: float
    baseline: float | None = None
    """The same without a model, or of a row of equal weights; None where there is none."""
    interval: tuple[float, float] | None = None
    """Of a cost: the 95 % interval."""


@dataclass(frozen=True, slots=True)
class HeadMeasures:
    """All measures of all heads."""

    heads: tuple[HeadRole, ...]
    """In the order of the model."""
    measures: Mapping[str, Mapping[Head, Measured]]
    """Name of a measure or a role → what was measured of each head that has it."""
    needed: frozenset[Head] | None
    """The heads whose silencing surely costs something; None where that was not measured."""

    def having(self, x: str, y: str) -> list[HeadRole]:
        """Return the heads that have two measures."""
        both = self.measures[x].keys() & self.measures[y].keys()
        return [each for each in self.heads if each.head in both]

    def points(self, x: str, y: str) -> NDArray[np.float64]:
        """Return points_N2 of the heads that have two measures."""
        heads = [each.head for each in self.having(x, y)]
        columns = [[self.measures[name][head].value for head in heads] for name in (x, y)]
        return np.array(columns, np.float64).T

    def outliers(self, x: str, y: str, n: int = N_OUTLIERS) -> list[Head]:
        """Return the heads that lie farthest from the median, in standard deviations."""
        points_N2 = self.points(x, y)
        deviation_2 = points_N2.std(axis=0)
        # Of a measure that is the same for all heads the distance is 0.
        deviation_2[deviation_2 == 0] = 1.0
        scaled_N2 = (points_N2 - np.median(points_N2, axis=0)) / deviation_2
        farthest = np.argsort(-np.linalg.norm(scaled_N2, axis=1), kind="stable")[:n]
        heads = self.having(x, y)
        return [heads[at].head for at in farthest.tolist()]

    def rank_correlation(self, x: str, y: str) -> float | None:
        """Return how far two measures rise together; see `core.evaluate.intervals`."""
        return rank_correlation(*self.points(x, y).T)

    @property
    def sharp(self) -> frozenset[Head]:
        """The heads whose largest weight is `SHARP` or more on average."""
        return frozenset(each.head for each in self.heads if each.confidence >= SHARP)

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return one row for each head, and for each measure its value and its baseline, if any."""
        heads = [each.head for each in self.heads]
        columns: dict[str, Sequence[object]] = {
            "head": list(map(str, heads)),
            "leading": [str(each.leading or "") for each in self.heads],
        }
        if (needed := self.needed) is not None:
            columns["needed"] = [head in needed for head in heads]
        for name, of_head in self.measures.items():
            found = [of_head.get(head) for head in heads]
            columns[name] = [each and each.value for each in found]
            if any(each and each.baseline is not None for each in found):
                columns[f"{name}_baseline"] = [each and each.baseline for each in found]
        return columns


def head_measures(
    roles: HeadRoles,
    statistics: Mapping[Head, RowStatistics],
    effects: HeadEffects | None = None,
    texts: TextRoles | None = None,
    costs: Mapping[Head, Difference] | None = None,
) -> HeadMeasures:
    """Return all measures of all heads.

    Args:
        roles: Of all heads.
        statistics: Of the rows of all heads.
        effects: What silencing each costs a model of encoder and decoder, where it was measured.
        texts: What the heads of a model of one stack do on random tokens.
        costs: By how much silencing each raises the loss of such a model, where it was measured.
    """
    measures: dict[str, dict[Head, Measured]] = {}
    needed = _needed(effects, costs)
    every = (_of_rows(roles, statistics), _of_silencing(effects, costs), _of_roles(roles, texts))
    for name, head, found in (each for part in every for each in part):
        measures.setdefault(name, {})[head] = found
    return HeadMeasures(roles.heads, measures, needed)


Found = Iterator[tuple[str, Head, Measured]]


def _of_rows(roles: HeadRoles, statistics: Mapping[Head, RowStatistics]) -> Found:
    for each in roles.heads:
        rows = statistics[each.head]
        yield Measure.LARGEST_WEIGHT, each.head, Measured(each.confidence, rows.even_largest)
        yield Measure.ENTROPY, each.head, Measured(each.evenness, 1.0)
        if rows.added is not None:
            yield Measure.ADDED, each.head, Measured(rows.added)
        if rows.distance is not None:
            yield Measure.DISTANCE, each.head, Measured(rows.distance, rows.even_distance)


def _of_silencing(effects: HeadEffects | None, costs: Mapping[Head, Difference] | None) -> Found:
    for effect in effects.heads if effects else ():
        yield Measure.EXACT_MATCH, effect.head, _fall(effect.exact_match)
        if effect.pronoun is not None:
            yield Measure.PRONOUN, effect.head, _fall(effect.pronoun)
        yield Measure.LOSS, effect.head, _rise(effect.loss)
    for head, change in (costs or {}).items():
        yield Measure.LOSS, head, _rise(change)


def _of_roles(roles: HeadRoles, texts: TextRoles | None) -> Found:
    for each in roles.heads:
        for role, score in each.scores.items():
            yield str(role), each.head, Measured(score.value, score.baseline)
    for role, of_head in (texts.scores if texts else {}).items():
        for head, score in of_head.items():
            yield f"{RANDOM}{role}", head, Measured(score.value, score.baseline)


def _fall(found: Difference) -> Measured:
    return Measured(-found.change, interval=(-found.high, -found.low))


def _rise(found: Difference) -> Measured:
    # A single text has no interval.
    interval = (found.low, found.high) if math.isfinite(found.high) else None
    return Measured(found.change, interval=interval)


def _needed(
    effects: HeadEffects | None, costs: Mapping[Head, Difference] | None
) -> frozenset[Head] | None:
    """Return the heads without which exact match, pronouns or, of one stack, the loss is worse."""
    if effects is not None:
        return frozenset(each.head for each in effects.heads if any(each.lost.values()))
    if costs is not None:
        return frozenset(head for head, change in costs.items() if change.low > 0)
    return None
