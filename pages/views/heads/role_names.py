"""What the roles of heads are called, and what they mean."""

from core.studies.heads.question import ANY_KEY, Role, Score
from core.studies.heads.roles import OFFSETS, HeadRole
from pages.frame import measured_on
from pages.frame.language import N_, _, ended, labelled, n_, number, percent
from pages.frame.texts import view_text

NAMES = {
    Role.PREVIOUS: N_("previous token"),
    Role.NEXT: N_("next token"),
    Role.SAME: N_("same token"),
    Role.POSITIONAL: N_("fixed distance"),
    Role.DELIMITER: N_("punctuation"),
    Role.RARE: N_("rare words"),
    Role.ANTECEDENT: N_("antecedent of a pronoun"),
    Role.ALIGNED_FED: N_("source of the word fed"),
    Role.ALIGNED_PREDICTED: N_("source of the next word"),
}
"""What a role is called in a word or two; marked for translation."""

MEANINGS = {
    Role.PREVIOUS: N_("the token before the row's own (self-attention only)"),
    Role.NEXT: N_("the token after the row's own (encoder only: a decoder does not see it)"),
    Role.SAME: N_("a token that is the same as the row's own; in self-attention also that itself"),
    Role.POSITIONAL: N_(
        "whatever stands at one fixed offset, the one that this head picks most often; "
        "from 90 % on a head is called positional"
    ),
    Role.DELIMITER: N_("punctuation, or a special token such as EOS"),
    Role.RARE: N_("the rarest of the tokens that the row may see, counted in these sentences"),
    Role.ANTECEDENT: N_(
        "what an ambiguous pronoun stands for; in cross-attention the row that writes it"
    ),
    Role.ALIGNED_FED: N_("a source token that the word comes from that is fed to the row"),
    Role.ALIGNED_PREDICTED: N_("a source token that the word comes from that the row predicts"),
}
"""Where a row's largest weight has to lie for the role."""


def meanings() -> str:
    """Return all definitions, and how roles are found, as Markdown."""
    lines = ["- " + ended(labelled(f"**{_(NAMES[role])}**", _(MEANINGS[role]))) for role in NAMES]
    rules = view_text("heads", "roles").sections["Rules"]
    return "\n".join(
        [_("A row of a head has a role when its largest weight lies on …"), "", *lines, "", rules]
    )


def leading(found: HeadRole) -> str:
    """Return in a few words what a head does for the most part."""
    role = found.leading
    if role is None:
        return _("none")
    return named(role, found)


def farthest(found: HeadRole) -> str:
    """Return in a few words what a head does most beyond the best rule without a model."""
    return _("none") if found.farthest is None else named(found.farthest, found)


def not_beaten(found: HeadRole) -> list[str]:
    """Return the roles whose score says nothing, for it does not beat its baseline."""
    return [_(NAMES[role]) for role, score in found.scores.items() if not score.beats_baseline]


def evidence(score: Score, role: Role) -> str:
    """Return the score of a role with its baseline and n."""
    return _("in {score} of {n} (best rule, {rule}: {baseline})").format(
        score=percent(score.value),
        n=cases(role, score.n),
        rule=rule(score),
        baseline=percent(score.baseline),
    )


def cases(role: Role, n: int) -> str:
    """Return in how many cases a role was looked for."""
    return (measured_on.pronouns if role is Role.ANTECEDENT else measured_on.rows)(n)


def rule(score: Score) -> str:
    """Return what the baseline's rule is called."""
    if score.rule == "offset":
        return _("always {place}").format(place=_place(score.rule_offset))
    return _("a random token") if score.rule == ANY_KEY else _(score.rule)


def column_help(role: Role) -> str:
    """Return what stands over a role's column on demand."""
    words = _("Share of the rows whose largest weight lies on {what}; in brackets the best rule.")
    if role in OFFSETS:
        words = _("Share of the rows whose largest weight lies on {what}; in brackets any token.")
    return words.format(what=_(MEANINGS[role]))


def named(role: Role, found: HeadRole) -> str:
    """Return what a role of a head is called."""
    if role is not Role.POSITIONAL:
        return _(NAMES[role])
    if found.offset == 0 and found.head.kind.is_self:
        return _("its own token")
    return _place(found.offset)


def _place(offset: int) -> str:
    """Return what a fixed distance is called."""
    if offset == 0:
        return _("the same position")
    n = abs(offset)
    text = n_("{n} token on", "{n} tokens on", n)
    if offset < 0:
        text = n_("{n} token back", "{n} tokens back", n)
    return text.format(n=number(n))
