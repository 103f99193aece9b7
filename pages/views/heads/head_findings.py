"""What a head's card says in words: its role, what silencing it costs, and which heads are alike.

Every sentence is put together from what was computed, with baseline and n.
"""

from collections.abc import Iterator, Mapping, Sequence

from core.evaluate.intervals import Difference
from core.heads import Kind
from core.runs.run import Run
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.heads.card import Examples, HeadCard, HeadRow, Target
from core.studies.heads.question import Role, Score
from core.studies.heads.roles import SEED, HeadRole
from pages.frame import measured_on, notes
from pages.frame.language import N_, _, joined, listed, listed_apart, number, percent, plain
from pages.views.heads import role_names

LOOKS = {
    Role.PREVIOUS: N_("{head} looks at the **token before**"),
    Role.NEXT: N_("{head} looks at the **token after**"),
    Role.SAME: N_("{head} looks at the **same token**"),
    Role.POSITIONAL: N_("{head} looks at the token at **offset {offset}**"),
    Role.DELIMITER: N_("{head} looks at a **delimiter** (punctuation, EOS or BOS)"),
    Role.RARE: N_("{head} looks at the **rarest token** that it may see"),
    Role.ANTECEDENT: N_("{head} looks from a pronoun at its **antecedent**"),
    Role.ALIGNED_FED: N_("{head} looks at the source of the **word that is fed**"),
    Role.ALIGNED_PREDICTED: N_("{head} looks at the source of the **word that is predicted**"),
}
"""Role → what a head with it does; marked for translation."""
TARGETS = {
    Target.WORD: N_("another word"),
    Target.SAME: N_("the same token"),
    Target.DELIMITER: N_("a delimiter"),
    Target.SEVERAL: N_("several alike"),
}
"""What a row's largest weight lies on; marked for translation."""
POINTS = 100
MOST_ROLES = 3
"""So many roles are said at first sight."""


def seen(
    card: HeadCard,
    role: HeadRole,
    effect: HeadEffect | None,
    *,
    untrained: bool = False,
    cost: str = "",
) -> str:
    """Return what there is to see: the leading role with its baseline, and what silencing costs.

    Args:
        card: The head's.
        role: Its roles.
        effect: What silencing it changes; None where it was not measured.
        untrained: Whether the model has learned nothing yet.
        cost: The same of a model that is measured otherwise.
    """
    where = notes.site_and_head(card.head)
    leading = role.leading
    if leading is None:
        said = _without_role(card, role, where)
    else:
        looks = _looks(leading, role).format(
            head=where, offset=number(role.offset, signed=role.offset != 0)
        )
        said = joined([looks, role_names.evidence(role.scores[leading], leading)])
    said = _("{looks}; {silenced}.").format(looks=said, silenced=cost or _cost(effect, leading))
    if untrained:
        return _("The model is **untrained**: what its heads do is chance. {said}").format(
            said=said
        )
    return said


def _looks(leading: Role, role: HeadRole) -> str:
    if leading is Role.POSITIONAL and role.offset == 0:
        if role.head.kind.is_self:
            return _("{head} looks at its **own token**")
        return _("{head} looks at the source token at the **same position**")
    return _(LOOKS[leading])


def _without_role(card: HeadCard, role: HeadRole, where: str) -> str:
    parts = {
        "head": where,
        "mean": number(role.confidence.value, 2),
        "uniform": number(role.confidence.uniform, 2),
    }
    if role.evenness.value > notes.NEARLY_UNIFORM:
        return _(
            "{head} points at **nothing**: its rows are nearly uniform (largest weight {mean} on "
            "average, {uniform} if uniform)"
        ).format(**parts)
    return _(
        "{head} has **no role** that beats its baseline and holds in half of the rows (largest "
        "weight {mean} on average, {uniform} if uniform)"
    ).format(**parts)


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
        return _change(pronoun, _("right pronouns"))
    if exact.is_sure:
        return _change(exact, _("exact match"))
    if effect.loss.is_sure:
        return _("silencing it changes the loss alone, by {change} nats per token").format(
            change=number(effect.loss.change, signed=True)
        )
    return _("no change was found when it is silenced")


def _change(found: Difference, figure: str) -> str:
    points = number(POINTS * abs(found.change), 1)
    if found.change < 0:
        text = _("silencing it costs **{points} points** of {figure}")
    else:
        text = _("silencing it adds **{points} points** of {figure}")
    return text.format(points=points, figure=figure)


def roles(role: HeadRole, examples: Mapping[Role, Examples]) -> str:
    """Return the roles that beat their baselines, those that gain most first, as Markdown."""
    held = {name: score for name, score in role.scores.items() if score.beats_baseline}
    ranked = sorted(held, key=lambda name: _gain(held[name]), reverse=True)
    if not ranked:
        return _("**Roles:** none beats its baseline.")
    said = [
        _("{role}: {score} of {n} (baseline {baseline}){example}").format(
            role=role_names.named(name, role),
            score=percent(held[name].value),
            baseline=percent(held[name].baseline),
            n=role_names.cases(name, held[name].n),
            example=_example(examples.get(name)),
        )
        for name in ranked[:MOST_ROLES]
    ]
    return _("**Roles**") + "\n" + "\n".join(f"- {each}" for each in said)


def _gain(score: Score) -> float:
    return (score.value - score.baseline) / (1 - score.baseline)


def _example(found: Examples | None) -> str:
    if found is None or not found.hits:
        return ""
    return _(", as {pair}").format(pair=pair_said(found.hits[0]))


def pair_said(row: HeadRow) -> str:
    """Return a row's token and the one that it looks at most, in Markdown."""
    query, key = row.pair
    return f"“{plain(query)}” → “{plain(key)}”"


def every_role(role: HeadRole, examples: Mapping[Role, Examples]) -> Iterator[str]:
    """Yield each role with its score, and sentences that it is made of, in Markdown."""
    for name, score in role.scores.items():
        found = examples.get(name, Examples((), ()))
        named = f"**{role_names.named(name, role)}**"
        lines = [joined([named, role_names.evidence(score, name)])]
        if found.hits:
            lines.append(_("has it: {rows}").format(rows=_in_sentences(found.hits)))
        if found.misses:
            lines.append(_("has it not: {rows}").format(rows=_in_sentences(found.misses)))
        yield "  \n".join(lines)


def _in_sentences(rows: Sequence[HeadRow]) -> str:
    return listed_apart(
        _("{pair} {weight} in “{sentence}”").format(
            pair=pair_said(row), weight=number(row.weight, 2), sentence=plain(row.text)
        )
        for row in rows
    )


def silenced(effects: HeadEffects | None, effect: HeadEffect | None) -> str:
    """Return what silencing the head changes, with intervals, as Markdown."""
    if effects is None or effect is None:
        return _("**Silenced:** not measured on these weights (the view “silence” measures it).")
    figures = {
        _("right pronouns"): (effect.pronoun, measured_on.pronouns),
        _("exact match"): (effect.exact_match, measured_on.n_sentences),
    }
    said = [
        _("{figure} {before} → {after} of {n} (95 % of the change: {low} to {high} points)").format(
            figure=figure,
            before=percent(found.before),
            after=percent(found.after),
            low=number(POINTS * found.low, 1, signed=True),
            high=number(POINTS * found.high, 1, signed=True),
            n=counted(found.n),
        )
        for figure, (found, counted) in figures.items()
        if found is not None
    ]
    heading = _("**Silenced** (seed {seed})").format(seed=effects.seed)
    return heading + "\n" + "\n".join(f"- {each}" for each in said)


def pairs_from(kind: Kind) -> str:
    """Return which token of a decoder's row its pairs begin with; empty in the encoder."""
    if kind.query_side == "source":
        return ""
    return _("From the word fed.") if kind.is_self else _("From the word to be written.")


def left_out(card: HeadCard) -> str:
    """Return how many rows look most at what says little; empty where none does."""
    shares = {
        target: card.share(target) for target in (Target.DELIMITER, Target.SAME, Target.SEVERAL)
    }
    said = [
        _("{target} ({share})").format(share=percent(share), target=_(TARGETS[target]))
        for target, share in shares.items()
        if share
    ]
    return _("Left out are rows on {targets}.").format(targets=listed(said)) if said else ""


def measured(run: Run, card: HeadCard) -> str:
    """Return on how much all of it was measured."""
    if card.n_sentences == 1:
        return _("One sentence is all there is to measure on: these shares say little.")
    return _("rows: {rows}, of {sentences}").format(
        rows=number(card.n_rows), sentences=measured_on.drawn(run, card.n_sentences, SEED)
    )
