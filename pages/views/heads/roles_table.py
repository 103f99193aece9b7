"""What the table of roles shows of each head, and how its columns are written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from core.evaluate.intervals import Difference
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.heads.question import Role, Score
from core.studies.heads.roles import HeadRole
from pages.frame.language import _, number, percent_of_100
from pages.views.heads import role_names

MARK = " "
"""Name of the column with the heads' colours."""
SENTENCES, PRONOUNS = "sentences", "pronouns"
ROLE, SHARE, RULE = "role", "share", "rule"
POINTS = 100
"""Per cent, and percentage points, of a share."""


@dataclass(frozen=True, slots=True)
class Scored:
    """The heads that the table shows."""

    heads: Sequence[HeadRole]
    effects: HeadEffects | None
    """What silencing each costs, where it was measured."""
    every_role: bool = False
    """Whether each role has a column, or only the one that differs most from its baseline."""

    @property
    def roles(self) -> list[Role]:
        """Those that any of these heads can have, in order."""
        return [role for role in Role if any(role in each.scores for each in self.heads)]

    def effect(self, head: HeadRole) -> HeadEffect | None:
        """What silencing one of them costs; None where it was not measured."""
        return None if self.effects is None else self.effects.of(head.head)


def columns(scored: Scored) -> dict[str, list[object]]:
    """Return what stands in the rows."""
    heads = scored.heads
    named: dict[str, list[object]] = {
        _("attention"): [_(each.head.kind.label) for each in heads],
        _("layer"): [each.head.layer for each in heads],
        _("head"): [each.head.index for each in heads],
    }
    costs: dict[str, list[object]] = {
        name: [_points(each) for each in values] for name, values in _effects(scored).items()
    }
    if not scored.every_role:
        farthest = [each.farthest and each.scores[each.farthest] for each in heads]
        return {
            **named,
            ROLE: [role_names.farthest(each) for each in heads],
            SHARE: [each and POINTS * each.value for each in farthest],
            RULE: [each and POINTS * each.baseline for each in farthest],
            **costs,
        }
    return {
        **named,
        _("leading role"): [role_names.leading(each) for each in heads],
        **costs,
        **{
            _(role_names.NAMES[role]): [_written(each.scores.get(role)) for each in heads]
            for role in scored.roles
        },
        _("bits"): [each.entropy.value for each in heads],
        _("distance"): [each.distance.value for each in heads],
        _("largest"): [each.confidence.value for each in heads],
        _("rows"): [each.n_rows for each in heads],
    }


def faint(scored: Scored) -> dict[str, list[bool]]:
    """Return which cells prove nothing: a score that is no better than a rule, a chance change."""
    roles = {
        _(role_names.NAMES[role]): [
            role in each.scores and not each.scores[role].beats_baseline for each in scored.heads
        ]
        for role in scored.roles
    }
    nothing = {ROLE: [each.farthest is None for each in scored.heads]}
    return (roles if scored.every_role else nothing) | {
        name: [each is not None and not each.is_sure for each in values]
        for name, values in _effects(scored).items()
    }


def _effects(scored: Scored) -> dict[str, list[Difference | None]]:
    found = [scored.effect(head) for head in scored.heads]
    effects = {
        SENTENCES: [None if each is None else each.exact_match for each in found],
        PRONOUNS: [None if each is None else each.pronoun for each in found],
    }
    return {name: values for name, values in effects.items() if any(values)}


def _points(change: Difference | None) -> float | None:
    return None if change is None else POINTS * change.change


def _written(score: Score | None) -> str | None:
    """Return score and baseline, of the same length for all, so that they are sorted as text."""
    if score is None:
        return None
    said = f"{number(score.value, 2)} ({number(score.baseline, 2)})"
    return said if score.beats_baseline else _("{score} n.s.").format(score=said)


def writers() -> dict[str, Callable[[float], str]]:
    """Return what writes the numbers of the columns."""
    two = partial(number, digits=2)

    def points(change: float) -> str:
        return _("{change} points").format(change=number(change, digits=1, signed=True))

    return {
        **{SENTENCES: points, PRONOUNS: points},
        **dict.fromkeys((SHARE, RULE), partial(percent_of_100, decimals=1)),
        **{_("bits"): two, _("distance"): two, _("largest"): two},
    }


def column_config(scored: Scored) -> dict[str, ColumnConfig | None]:
    """Return how the columns are written."""
    config, text = st.column_config.NumberColumn, st.column_config.TextColumn
    rows = _("Rows with a choice: two keys or more that they may see.")
    silenced = _("Change, in points, of the share that is right when this head is silenced.")
    share = _(
        "Share of the rows whose largest weight is there: of the roles that the head can "
        "have, the one that differs most from the best rule."
    )
    rule = _("The same share for the best rule without a model.")
    bits = _("Entropy of a row's weights in bits: 0 for one key, 3 for eight alike.")
    away = _("How many tokens away the keys are, weighted.")
    largest = _("The largest weight of a row.")
    roles = {
        _(role_names.NAMES[role]): text(width=_width(role), help=role_names.column_help(role))
        for role in scored.roles
    }
    # On a phone nothing could be scrolled past them, and without every role there is no need.
    pinned = scored.every_role
    return {
        MARK: text(width=26, pinned=True, help=_("The head's colour in every picture")),
        _("attention"): text(width=88, pinned=pinned),
        _("layer"): config(width=46, pinned=pinned),
        _("head"): config(width=46, pinned=pinned),
        _("leading role"): text(width=130),
        ROLE: text(_("its largest weight is on"), width=190),
        SHARE: config(_("in so many rows"), width=110, help=share),
        RULE: config(_("rule without a model"), width=140, help=rule),
        SENTENCES: config(_("silenced: exact match"), width=150, help=silenced),
        PRONOUNS: config(_("silenced: pronouns"), width=140, help=silenced),
        **roles,
        _("bits"): config(width=50, help=bits),
        _("distance"): config(width=70, help=away),
        _("largest"): config(width=62, help=largest),
        _("rows"): config(width=58, help=rows),
    }


def _width(role: Role) -> int:
    """Return a width, in pixels, in which the column's name has room."""
    return max(112, 14 + 7 * len(_(role_names.NAMES[role])))
