"""All that is known of one head: what it does on held-out sentences, and which heads are like it.

B batch, Q queries, K keys, R rows, H heads of a layer, N heads of one kind of attention.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...batch import Pair, collate
from ...evaluate.intervals import Difference
from ...heads import Head, Kind, Side
from ...model import Record, Step, Transformer
from ...runs.metrics import columns_of
from ...runs.run import Run
from ...tokenizer.tokenizer import Token
from ..attribution.logit_terms import Written, has_direct_path, written
from ..heads.question import Question, Role, Rows, Score, heads_of, read, target_keys
from ..heads.roles import (
    N_SENTENCES,
    SEED,
    HeadRole,
    HeadRoles,
    delimiters_of,
    questions_on,
)
from ..heads.text_roles import TextRoles
from ..heads.texts import batches_of, pairs_read
from .head_effects import HeadEffect, HeadEffects
from .text_cost import HeadCost

N_COMPARED = 100
"""Held-out sentences on which heads are compared."""
ROWS_AT_ONCE = 1024
"""Of every head: all rows of long sentences together would be too large."""


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """How alike the heads of one kind of attention are."""

    heads: tuple[Head, ...]
    likeness_NN: NDArray[np.float64]
    """1 less the mean Jensen-Shannon distance of their rows: 1 for heads that always have the same
    weights, 0 for heads that never look at the same key. Symmetric."""
    n_rows: int
    """Rows that have two keys or more to choose from."""

    def of(self, head: Head) -> list[tuple[Head, float]]:
        """Return all other heads with their likeness to one, the most alike first."""
        found = zip(self.heads, self.likeness_NN[self.heads.index(head)].tolist(), strict=True)
        return sorted((each for each in found if each[0] != head), key=lambda other: -other[1])


def head_likeness(run: Run, kind: Kind, n: int = N_COMPARED, seed: int = SEED) -> Likeness:
    """Compare all heads of a kind of attention on up to `n` held-out sentences."""
    return likeness(run.model, pairs_read(run, n, seed), kind)


@torch.inference_mode()
def likeness(model: Transformer, pairs: Sequence[Pair], kind: Kind) -> Likeness:
    """Compare all heads of a kind of attention on some sentences."""
    sites = [site for site in model.sites() if site.attention is kind]
    heads = tuple(heads_of(model, [kind]))
    distance_NN = torch.zeros(len(heads), len(heads), dtype=torch.float64)
    n_rows = 0
    for group in batches_of(pairs, model.config.pad_id):
        batch = collate(group, model.config.pad_id)
        record = Record(sites=frozenset(sites))
        read(model, batch, record)
        chosen_BQ = Rows.of(kind, batch, record.tensors[sites[0], Step.VISIBLE]).chosen_BQ
        n_rows += int(chosen_BQ.sum())
        rows = [record.weights(site).cpu().transpose(1, 2)[chosen_BQ] for site in sites]
        weights_NRK = torch.cat(rows, dim=1).transpose(0, 1)
        for part_NRK in weights_NRK.split(ROWS_AT_ONCE, dim=1):
            distance_NN += _distances(part_NRK.double())
    return Likeness(heads, (1 - distance_NN / max(n_rows, 1)).numpy(), n_rows)


def _distances(weights_NRK: Tensor) -> Tensor:
    """Return distances_NN, summed over rows: the root of the divergence in bits (0 to 1).

    Source: Endres and Schindelin, "A new metric for probability distributions" (2003).
    """
    n_heads = len(weights_NRK)
    entropy_NR = torch.special.entr(weights_NRK).sum(dim=-1)
    distance_NN = torch.zeros(n_heads, n_heads, dtype=weights_NRK.dtype)
    for one in range(n_heads):
        # One head with those after it at a time: all pairs at once would be too large.
        later = slice(one + 1, None)
        middle_NRK = (weights_NRK[one] + weights_NRK[later]) / 2
        divergence_NR = torch.special.entr(middle_NRK).sum(dim=-1)
        divergence_NR -= (entropy_NR[one] + entropy_NR[later]) / 2
        # Rounding must not lead out of 0 to 1.
        distance_NR = (divergence_NR / np.log(2)).clamp(0, 1).sqrt()
        distance_NN[one, later] = distance_NN[later, one] = distance_NR.sum(dim=-1)
    return distance_NN


N_STRATA = 5
"""Quantile groups of sentences, one of which is shown of each."""
Describes = Mapping[Side, Callable[[Sequence[int]], tuple[Token, ...]]]
"""Side → what makes of its ids tokens as people read them."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadRow:
    """One row of a head in a held-out sentence."""

    pair: Pair
    queries: tuple[Token, ...]
    keys: tuple[Token, ...]
    predicted: Token | None
    """What the decoder is to write in this row; None in the encoder."""
    query: int
    weights_K: NDArray[np.float32]
    visible_K: NDArray[np.bool_]
    activation: float
    """The weight on the keys of the head's leading role; the largest weight of a head without."""
    written: Written | None = None
    """Which next tokens the head promotes here; None where it has no direct path to them."""

    @property
    def key(self) -> int:
        """With the largest weight; of equal ones the first."""
        return int(self.weights_K.argmax())


@dataclass(frozen=True, slots=True, eq=False)
class HeadCard:
    """What one head does."""

    head: Head
    roles: HeadRoles
    """Of all heads."""
    strata: tuple[HeadRow, ...]
    """A row of each quantile group of sentences, the one with the largest activations first."""


def head_card(
    run: Run, head: Head, roles: HeadRoles, n: int = N_SENTENCES, seed: int = SEED
) -> HeadCard:
    """Return what a head does on up to `n` held-out sentences, the decoder fed the true targets."""
    pairs = pairs_read(run, n, seed)
    role = next(each for each in roles.heads if each.head == head)
    describe: Describes = {
        "source": run.tokenizer.describe,
        "target": run.target_tokenizer.describe,
    }
    question = _question(role, questions_on(pairs, delimiters_of(run)))
    shown = strata(list(drawn_rows(run.model, pairs, head, question, describe, seed)), seed)
    if has_direct_path(run.model, head):
        shown = tuple(
            replace(row, written=written(run, head, row.pair, row.query)) for row in shown
        )
    return HeadCard(head, roles, shown)


def strata(rows: Sequence[HeadRow], seed: int) -> tuple[HeadRow, ...]:
    """Return one row, drawn, of each quantile group by activation, the largest first."""
    ranked = sorted(rows, key=lambda row: -row.activation)
    rng = np.random.default_rng(seed)
    groups = np.array_split(np.arange(len(ranked)), N_STRATA)
    return tuple(ranked[rng.choice(group)] for group in groups if len(group))


def _question(role: HeadRole, questions: Mapping[Role, Question]) -> Question | None:
    """Return what a head is asked for its leading role; None where it has none."""
    if role.leading is Role.POSITIONAL:
        return lambda rows: (rows.offset_QK == role.offset)[None]
    return None if role.leading is None else questions[role.leading]


@torch.inference_mode()
def drawn_rows(
    model: Transformer,
    pairs: Sequence[Pair],
    head: Head,
    question: Question | None,
    describe: Describes,
    seed: int,
) -> Iterator[HeadRow]:
    """Yield one row, drawn, of each sentence; without a question any with a choice."""
    rng = np.random.default_rng(seed)
    for group in batches_of(pairs, model.config.pad_id):
        batch, record = collate(group, model.config.pad_id), Record(sites=frozenset([head.site]))
        read(model, batch, record)
        rows = Rows.of(head.kind, batch, record.tensors[head.site, Step.VISIBLE])
        weights_BQK = record.weights(head.site)[:, head.index].float().cpu()
        weights_BQK = weights_BQK.masked_fill(~rows.visible_BQK, 0)
        asked_BQ, activation_BQ = rows.chosen_BQ, weights_BQK.amax(dim=-1)
        if question is not None:
            target_BQK = target_keys(rows, {Role.SAME: question})[Role.SAME]
            asked_BQ, activation_BQ = target_BQK.any(-1), (weights_BQK * target_BQK).sum(-1)
        for at, pair in enumerate(group):
            if not asked_BQ[at].any():
                continue
            query = int(rng.choice(torch.nonzero(asked_BQ[at]).flatten().numpy()))
            # The last token of a target is predicted and never fed.
            target = describe["target"](pair.target)
            sides = {"source": describe["source"](pair.source), "target": target[:-1]}
            queries, keys = (sides[side] for side in head.kind.sides)
            yield HeadRow(
                pair=pair,
                queries=queries,
                keys=keys,
                predicted=None if head.kind is Kind.ENCODER_SELF else target[query + 1],
                query=query,
                weights_K=weights_BQK[at, query, : len(keys)].numpy().copy(),
                visible_K=rows.visible_BQK[at, query, : len(keys)].numpy().copy(),
                activation=float(activation_BQ[at, query]),
            )


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
        return columns_of(rows)

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
