"""What the roles of heads are called."""

from core.studies.heads.question import ANY_KEY, Role, Score
from core.studies.heads.roles import HeadRole
from pages.frame.language import N_, _, n_, number, percent

NAMES = {
    Role.PREVIOUS: N_("previous token"),
    Role.NEXT: N_("next token"),
    Role.SAME: N_("same token"),
    Role.POSITIONAL: N_("fixed distance"),
    Role.DELIMITER: N_("punctuation or EOS"),
    Role.RARE: N_("rarest token"),
    Role.ANTECEDENT: N_("antecedent of a pronoun"),
    Role.ALIGNED_FED: N_("source of the word fed"),
    Role.ALIGNED_PREDICTED: N_("source of the next word"),
    Role.INDUCTION: N_("induction"),
    Role.DUPLICATE: N_("duplicate"),
    Role.FIRST: N_("first token"),
    Role.ITSELF: N_("itself"),
}
"""What a role is called in a word or two; marked for translation."""


def canonical(role: Role, found: HeadRole) -> Role:
    """Return the role that says the same by a plainer name: of a fixed distance of one token."""
    neighbour = {-1: Role.PREVIOUS, 1: Role.NEXT}.get(found.offset)
    if role is Role.POSITIONAL and neighbour is not None and neighbour in found.scores:
        return neighbour
    return role


def leading(found: HeadRole) -> str:
    """Return in a few words what a head does for the most part."""
    return _("none") if found.leading is None else named(found.leading, found)


def farthest(found: HeadRole) -> str:
    """Return in a few words what a head does most beyond the best rule without a model."""
    return _("none") if found.farthest is None else named(found.farthest, found)


def evidence(score: Score) -> str:
    """Return the score of a role with its baseline and n."""
    return _("in **{score}** of {n} cases (baseline, {rule}: {baseline})").format(
        score=percent(score.value),
        n=number(score.n),
        rule=rule(score),
        baseline=percent(score.baseline),
    )


def rule(score: Score) -> str:
    """Return what the baseline's rule is called."""
    if score.rule == "offset":
        return _("always {place}").format(place=_place(score.rule_offset))
    return _("a random token") if score.rule == ANY_KEY else _(score.rule)


def named(role: Role, found: HeadRole) -> str:
    """Return what a role of a head is called."""
    name = canonical(role, found)
    if name is not Role.POSITIONAL:
        return _(NAMES[name])
    if found.offset == 0 and found.head.kind.is_self:
        return _("its own token")
    return _place(found.offset)


def _place(offset: int) -> str:
    """Return what a fixed distance is called."""
    if offset == 0:
        return _("the same position")
    n = abs(offset)
    if offset < 0:
        return n_("{n} token back", "{n} tokens back", n)
    return n_("{n} token on", "{n} tokens on", n)
