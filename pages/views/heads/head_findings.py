"""What a head's card says in words: its role, what silencing it costs, and which heads are alike.

Every sentence is put together from what was computed, with baseline and n.
"""

from core.runs.run import Run
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.heads.question import Role, Score
from core.studies.heads.roles import SEED, HeadRole
from pages.frame import measured_on, notes
from pages.frame.language import (
    N_,
    _,
    joined,
    n_,
    number,
    percent,
    percent_of_100,
)
from pages.views.heads import role_names

LOOKS = {
    Role.PREVIOUS: N_("{head} looks at the **previous token**"),
    Role.NEXT: N_("{head} looks at the **next token**"),
    Role.SAME: N_("{head} looks at the **same token**"),
    Role.POSITIONAL: N_("{head} looks at the token at **offset {offset}**"),
    Role.DELIMITER: N_("{head} looks at **punctuation or EOS**"),
    Role.RARE: N_("{head} looks at the **rarest token** that it may see"),
    Role.ANTECEDENT: N_("{head} looks from a pronoun at its **antecedent**"),
    Role.ALIGNED_FED: N_("{head} looks at the source of the **word fed**"),
    Role.ALIGNED_PREDICTED: N_("{head} looks at the source of the **next word**"),
}
"""Role → what a head with it does; marked for translation."""
_HARDLY = 0.1
"""A role that gains less, of what its baseline leaves to gain, is hardly one."""
MOST_ROLES = 3
"""Number of roles that are named; the table below has all."""


def seen(
    role: HeadRole, effect: HeadEffect | None, *, untrained: bool = False, cost: str = ""
) -> str:
    """Return what a head does, how often a rule without a model would, and what silencing costs.

    Args:
        role: Its roles.
        effect: What silencing it changes; None where it was not measured.
        untrained: Whether the model has learned nothing yet.
        cost: The same of a model that is measured otherwise.
    """
    head, leading = notes.site_and_head(role.head), role.leading or role.farthest
    if leading is None:
        text = _("{head} has **no role** that beats its baseline")
        if role.evenness > notes.NEARLY_UNIFORM:
            text = _("{head} looks at **nothing** in particular: its rows are nearly uniform")
        looks = text.format(head=head)
    elif role.leading is None:
        score = role.scores[leading]
        text = _(
            "{head} has **no clear role**: its best match, {role}, holds in {share} of {n} cases "
            "(baseline, {rule}: {baseline})"
        )
        if _gain(score) < _HARDLY:
            text = _(
                "{head} has no clear role: its best match, {role}, holds in {share} of {n} cases, "
                "hardly more than the baseline ({rule}: {baseline})"
            )
        looks = text.format(
            head=head,
            role=role_names.named(leading, role),
            share=percent(score.value),
            n=number(score.n),
            rule=role_names.rule(score),
            baseline=percent(score.baseline),
        )
    else:
        name = role_names.canonical(leading, role)
        text = _looks_at_itself(role) if name is Role.POSITIONAL else _(LOOKS[name])
        looks = text.format(head=head, offset=number(role.offset, signed=role.offset != 0))
        looks = joined([looks, role_names.evidence(role.scores[leading])])
    said = _("{looks}; {silenced}.").format(looks=looks, silenced=cost or _cost(effect, leading))
    if untrained:
        return _("The model is **untrained**: what its heads do is chance. {said}").format(
            said=said
        )
    return said


def _looks_at_itself(role: HeadRole) -> str:
    """Return what a head with a fixed distance looks at."""
    if role.offset:
        return _(LOOKS[Role.POSITIONAL])
    if role.head.kind.is_self:
        return _("{head} looks at its **own token**")
    return _("{head} looks at the source token at the **same position**")


def _cost(effect: HeadEffect | None, leading: Role | None) -> str:
    """Return what silencing costs of what the head is there for, or else of the sentences."""
    if effect is None:
        return _("what silencing it costs was not measured")
    pronoun, exact = effect.pronoun, effect.exact_match
    if (
        pronoun is not None
        and pronoun.is_sure
        and (leading is Role.ANTECEDENT or not exact.is_sure)
    ):
        text = _("when it is silenced, **{after}** of the pronouns are right instead of {before}")
        return text.format(before=percent(pronoun.before), after=percent(pronoun.after))
    if exact.is_sure:
        text = _("when it is silenced, exact match goes from {before} to **{after}**")
        return text.format(before=percent(exact.before), after=percent(exact.after))
    if effect.loss.is_sure:
        return _("when it is silenced, only the loss changes: by {change} nats per token").format(
            change=number(effect.loss.change, signed=True)
        )
    return _("when it is silenced, no change was found")


def roles(role: HeadRole) -> str:
    """Return the roles that beat their baselines, those that gain most first, as Markdown."""
    held = {
        name: score
        for name, score in role.scores.items()
        if score.beats_baseline and role_names.canonical(name, role) is name
    }
    ranked = sorted(held, key=lambda name: _gain(held[name]), reverse=True)
    if not ranked:
        return _("**Roles:** none beats its baseline.")
    lines = [
        _("{role}: {score} (baseline: {baseline})").format(
            role=role_names.named(name, role),
            score=percent_of_100(100 * held[name].value, 0),
            baseline=percent_of_100(100 * held[name].baseline, 0),
        )
        for name in ranked[:MOST_ROLES]
    ]
    return _("**Roles**") + "\n" + "\n".join(f"- {each}" for each in lines)


def _gain(score: Score) -> float:
    return (score.value - score.baseline) / (1 - score.baseline)


def silenced(effects: HeadEffects | None, effect: HeadEffect | None) -> str:
    """Return what silencing the head changes, with intervals, as Markdown."""
    if effects is None or effect is None:
        return _("**Silenced:** not measured on these weights (the view “silence” measures it).")
    figures = {
        _("correct pronouns"): (effect.pronoun, measured_on.pronouns),
        _("exact match"): (effect.exact_match, measured_on.n_sentences),
    }
    lines = [
        _(
            "{figure} {before} → {after}: {points} points (95 % interval: {low} to {high}; {n})"
        ).format(
            figure=figure,
            before=percent(found.before),
            after=percent(found.after),
            points=number(100 * found.change, 1, signed=True),
            low=number(100 * found.low, 1, signed=True),
            high=number(100 * found.high, 1, signed=True),
            n=counted(found.n),
        )
        for figure, (found, counted) in figures.items()
        if found is not None
    ]
    return _("**Silenced**") + "\n" + "\n".join(f"- {each}" for each in lines)


def measured(run: Run, role: HeadRole) -> str:
    """Return on how much all of it was measured, as an item of a list."""
    if role.n_sentences == 1:
        return _("- One sentence is all there is to measure on: these shares say little.")
    return n_(
        "- Measured on {rows} row of maps, of {sentences}.",
        "- Measured on {rows} rows of maps, of {sentences}.",
        role.n_rows,
    ).format(rows=number(role.n_rows), sentences=measured_on.drawn(run, role.n_sentences, SEED))
