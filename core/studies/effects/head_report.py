"""All that is known of one head, and the table of it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ...evaluate.intervals import Difference
from ...heads import Head
from ..heads.card import HeadCard
from ..heads.likeness import Likeness
from ..heads.question import Role, Score
from ..heads.roles import HeadRole, HeadRoles
from ..heads.text_roles import TextRoles
from .head_effects import HeadEffect, HeadEffects
from .text_cost import HeadCost

N_ALIKE = 3
"""Other heads that are named."""
Row = dict[str, str | int | float]


@dataclass(frozen=True, slots=True)
class HeadReport:
    """All that is known of one head."""

    card: HeadCard
    likeness: Likeness
    effects: HeadEffects | None
    on_random: Mapping[Role, Score] = field(default_factory=dict)
    """Of a model of one stack: the head's roles on random tokens."""
    cost: HeadCost | None = None
    """What silencing the head costs such a model; None where it was not measured."""

    @property
    def heads(self) -> Sequence[HeadRole]:
        """All of the kind."""
        return [e for e in self.card.roles.heads if e.head.kind is self.card.head.kind]

    @property
    def role(self) -> HeadRole:
        """What roles the head has."""
        return next(each for each in self.heads if each.head == self.card.head)

    @property
    def effect(self) -> HeadEffect | None:
        """What silencing it costs; None where it was not measured."""
        if self.effects is not None:
            with suppress(KeyError):
                return self.effects.of(self.card.head)
        return None

    @property
    def alike(self) -> list[tuple[Head, float]]:
        """All other heads of the kind with their likeness, the most alike first."""
        return self.likeness.of(self.card.head)

    def table(self) -> dict[str, list[str | int | float | None]]:
        """Return strips, roles, silencing, likeness, and all heads."""
        rows = [*self._looks(), *self._scores(), *self._changes(), *self._others()]
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: [row.get(name) for row in rows] for name in names}

    def _looks(self) -> Iterator[Row]:
        for stratum, row in enumerate(self.card.strata):
            of: Row = {"stratum": stratum, "activation": row.activation, "sentence": row.pair.text}
            of |= {"from": row.queries[row.query].text}
            for key, weight in zip(row.keys, row.weights_K, strict=True):
                yield {"what": "weight", **of, "to": key.text, "value": float(weight)}
            if row.written is not None and row.predicted is not None:
                target = (row.predicted, row.written.on_target)
                for token, effect in (*row.written.promoted, *row.written.suppressed, target):
                    yield {"what": "direct_effect", **of, "to": token.text, "value": effect}

    def _scores(self) -> Iterator[Row]:
        for role, score in self.role.scores.items():
            yield _score("role", role, score)
        for role, score in self.on_random.items():
            low, high = score.interval
            yield _score("on_random_tokens", role, score) | {"low": low, "high": high}

    def _changes(self) -> Iterator[Row]:
        changes: dict[str, Difference | None] = {}
        if (effect := self.effect) is not None:
            changes |= {"exact_match": effect.exact_match, "pronoun": effect.pronoun}
            changes["loss"] = effect.loss
        if self.cost is not None:
            changes |= {"loss": self.cost.silenced, "loss_of_others": self.cost.others}
        for name, each in changes.items():
            if each is not None:
                change: Row = {"what": "silenced", "name": name, "baseline": each.before}
                change |= {"value": each.after, "low": each.low, "high": each.high, "n": each.n}
                yield change

    def _others(self) -> Iterator[Row]:
        for head, likeness in self.alike:
            yield {"what": "alike", "name": str(head), "value": likeness}
        for each in self.heads:
            head_row: Row = {"what": "mean_largest_weight", "name": str(each.head)}
            yield head_row | {"to": str(each.leading or ""), "value": each.confidence}


def head_report(
    card: HeadCard,
    likeness: Likeness,
    effects: HeadEffects | None = None,
    texts: TextRoles | None = None,
    cost: HeadCost | None = None,
) -> HeadReport:
    """Return all that is known of one head."""
    on_random = {
        role: scores[card.head]
        for role, scores in (texts.scores if texts else {}).items()
        if card.head in scores
    }
    return HeadReport(card, likeness, effects, on_random, cost)


@dataclass(frozen=True, slots=True)
class RolesReport:
    """The roles of heads, the head that the model needs most first."""

    heads: Sequence[HeadRole]
    effects: HeadEffects | None
    """What silencing each costs, where it was measured."""

    @property
    def needed(self) -> list[HeadRole]:
        """The heads without which surely fewer sentences or pronouns are right."""
        return [each for each in self.heads if any(self.lost(each.head).values())]

    def lost(self, head: Head) -> dict[str, float | None]:
        """Return the fall of exact match and of correct pronouns, None where none is sure."""
        if self.effects is None:
            return {"exact_match": None, "pronoun": None}
        return self.effects.of(head).lost

    def table(self) -> dict[str, Sequence[object]]:
        """Return one row for each head and role."""
        found = HeadRoles(tuple(self.heads)).table()
        of = {str(each.head): each for each in self.effects.heads} if self.effects else {}
        effects = [of.get(str(name)) for name in found["head"]]
        exact = [None if each is None else each.exact_match.change for each in effects]
        pronoun = [each.pronoun.change if each and each.pronoun else None for each in effects]
        return {**found, "exact_match_change": exact, "pronoun_change": pronoun}


def roles_report(roles: HeadRoles, effects: HeadEffects | None = None) -> RolesReport:
    """Return the roles of all heads, the head whose silencing costs most exact match first.

    Of those that cost as much, or that were not measured, the one comes first whose role is
    farthest above its baseline.
    """
    report = RolesReport(roles.heads, effects)

    def rank(each: HeadRole) -> tuple[float, ...]:
        return (*(-(fall or 0.0) for fall in report.lost(each.head).values()), -each.above_baseline)

    # Sorting is stable: equal heads stay as they stand in the model.
    return replace(report, heads=sorted(roles.heads, key=rank))


def _score(what: str, role: Role, score: Score) -> Row:
    row: Row = {"what": what, "name": str(role), "value": score.value}
    return row | {"baseline": score.baseline, "n": score.n}
