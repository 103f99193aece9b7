"""What was measured about the heads that find the pronouns' antecedents, in a few sentences."""

from core.studies.heads.findings import (
    PronounHead,
    best_pronoun_head,
    most_needed_pronoun_head,
    pronouns_among,
)
from pages.frame.language import _, joined, listed, number, percent
from pages.frame.notes import (
    NO_EFFECT,
    is_guided,
    is_measured,
    site_and_head,
    within_sentence,
)
from pages.frame.selection import Opened


def about_pronouns(opened: Opened) -> str:
    """Return what was measured about the heads that find what the sentence's pronouns stand for.

    It is the same whichever head is shown, so that another head alone is sent to the maps.
    """
    run, pronouns = opened.run, pronouns_among(opened.task, opened.inspection.source_words)
    if not pronouns:
        return ""
    best, needed = best_pronoun_head(run), most_needed_pronoun_head(run)
    if best is None or needed is None:
        return _("This run was never measured on held-out sentences, so no head is named.")
    if best.beats_baseline:
        claim = _("{where} finds best what {pronouns} stands for: {evidence}.")
    else:
        claim = _(
            "No head reliably points at what {pronouns} stands for: {where} comes closest, "
            "{evidence}."
        )
    # Before the claim: it is to be read with it.
    other = _("Measured on sentences of another kind than this one, for which it need not hold:")
    guided, limit = _("Training rewarded it for that (guided attention)."), ""
    if needed.cost_of_silencing - best.cost_of_silencing > NO_EFFECT:
        text = _("The model needs another head more: without {where} they fall to {after}.")
        after = percent(needed.silenced_accuracy)
        limit = text.format(where=within_sentence(needed.head), after=after)
    elif best.cost_of_silencing < NO_EFFECT:
        limit = _("The model has another way: this map is not its explanation.")
    sentences = [
        "" if is_measured(run, opened.inspection.translation.source) else other,
        claim.format(
            where=(site_and_head if best.beats_baseline else within_sentence)(best.head),
            pronouns=listed(f"“{pronoun}”" for pronoun in pronouns),
            evidence=_evidence(best),
        ),
        guided if is_guided(run, best.head) else "",
        _silenced(best),
        limit,
    ]
    return joined(sentences)


def _evidence(head: PronounHead) -> str:
    return _(
        "its largest weight lies on the antecedent in {score} of {n} held-out test cases "
        "(baseline, {rule}: {baseline}; seed {seed})"
    ).format(
        score=percent(head.score),
        n=number(head.n),
        rule=_(head.baseline_name),
        baseline=percent(head.baseline),
        seed=head.seed,
    )


def _silenced(head: PronounHead) -> str:
    return _(
        "When it is silenced, {after} of the pronouns are right instead of {before} (n = {n})."
    ).format(before=percent(head.accuracy), after=percent(head.silenced_accuracy), n=number(head.n))
