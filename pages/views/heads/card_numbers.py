"""All that a head's card shows, and the numbers of it for a file."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from core.heads import Head
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.effects.text_cost import HeadCost
from core.studies.heads.card import HeadCard, histogram
from core.studies.heads.likeness import Likeness
from core.studies.heads.question import Role, Score
from core.studies.heads.roles import HeadRole
from pages.frame.files import Columns, stacked

N_PAIRS, N_ALIKE = 5, 3
"""So many pairs, and so many other heads, are shown."""


@dataclass(frozen=True, slots=True)
class Known:
    """All that a card shows."""

    card: HeadCard
    heads: Sequence[HeadRole]
    """All of the kind."""
    likeness: Likeness
    effects: HeadEffects | None
    on_random: Mapping[Role, Score] = field(default_factory=dict)
    """Of a model of one stack: the head's roles on random tokens."""
    cost: HeadCost | None = None
    """What silencing the head costs such a model; None where it was not measured."""

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
        """Other heads with their likeness, the most alike first."""
        own = self.likeness.heads.index(self.card.head)
        found = enumerate(self.likeness.likeness_NN[own].tolist())
        others = [(self.likeness.heads[at], value) for at, value in found if at != own]
        return sorted(others, key=lambda other: -other[1])[:N_ALIKE]


def numbers(known: Known) -> Columns:
    """Return everything: strips, pairs, histogram, roles, silencing, likeness, the map."""
    card, bins = known.card, histogram(known.card)
    strips = [(row, key) for row in card.strongest for key in range(len(row.keys))]
    pairs = card.pairs[:N_PAIRS]
    sizes = [(target, place) for target, counts in bins.items() for place in range(len(counts))]
    effect = known.effect
    figures = (
        {}
        if effect is None
        else {
            "exact_match": effect.exact_match,
            "pronoun": effect.pronoun,
            "loss": effect.loss,
        }
    )
    if known.cost is not None:
        figures |= {"loss": known.cost.silenced, "loss_of_others": known.cost.others}
    changes = {name: each for name, each in figures.items() if each is not None}
    return stacked(
        {
            "what": ["strip"] * len(strips),
            "sentence": [row.text for row, _key in strips],
            "from": [row.pair[0] for row, _key in strips],
            "to": [row.keys[key].text for row, key in strips],
            "weight": [float(row.weights_K[key]) for row, key in strips],
        },
        {
            "what": ["pair"] * len(pairs),
            "from": [query for (query, _key), _n in pairs],
            "to": [key for (_query, key), _n in pairs],
            "count": [n for _pair, n in pairs],
            "n": [card.n_rows] * len(pairs),
        },
        {
            "what": ["largest_weight"] * len(sizes),
            "name": [str(target) for target, _place in sizes],
            "bin": [place for _target, place in sizes],
            "count": [int(bins[target][place]) for target, place in sizes],
            "n": [card.n_rows] * len(sizes),
        },
        {"what": ["uniform_row"], "value": [card.uniform]},
        {
            "what": ["role"] * len(known.role.scores),
            "name": [str(role) for role in known.role.scores],
            "value": [score.value for score in known.role.scores.values()],
            "baseline": [score.baseline for score in known.role.scores.values()],
            "n": [score.n for score in known.role.scores.values()],
        },
        {
            "what": ["on_random_tokens"] * len(known.on_random),
            "name": [str(role) for role in known.on_random],
            "value": [score.value for score in known.on_random.values()],
            "baseline": [score.baseline for score in known.on_random.values()],
            "low": [score.interval[0] for score in known.on_random.values()],
            "high": [score.interval[1] for score in known.on_random.values()],
            "n": [score.n for score in known.on_random.values()],
        },
        {
            "what": ["silenced"] * len(changes),
            "name": list(changes),
            "baseline": [each.before for each in changes.values()],
            "value": [each.after for each in changes.values()],
            "low": [each.low for each in changes.values()],
            "high": [each.high for each in changes.values()],
            "n": [each.n for each in changes.values()],
        },
        {
            "what": ["alike"] * len(known.alike),
            "name": [str(head) for head, _value in known.alike],
            "value": [value for _head, value in known.alike],
        },
        {
            "what": ["mean_largest_weight"] * len(known.heads),
            "name": [str(each.head) for each in known.heads],
            "to": [str(each.leading or "") for each in known.heads],
            "value": [each.confidence.value for each in known.heads],
        },
    )
