"""What was measured about the heads that find the pronouns' antecedents, in a few sentences."""

from collections.abc import Sequence

from core.runs.run import Run
from core.studies.heads.findings import PronounHead
from pages.frame.language import _, joined, listed, number, percent
from pages.frame.notes import (
    NO_EFFECT,
    is_guided,
    is_measured,
    site_and_head,
    within_sentence,
)


def about_pronoun_head(
    run: Run, sentence: str, pronouns: Sequence[str], best: PronounHead, needed: PronounHead
) -> str:
    """Return what was measured about the heads that find the pronouns' antecedents.

    Args:
        run: The heads'.
        sentence: What is translated.
        pronouns: Of the sentence.
        best: The head whose largest weight lies most often on the antecedent.
        needed: The head whose silencing costs most; may be the same.
    """
    if best.beats_baseline:
        claim = _("{where} finds best what {pronouns} stands for: {evidence}.")
    else:
        claim = _(
            "No head reliably points at what {pronouns} stands for: {where} comes closest, "
            "{evidence}."
        )
    # Before the claim: it is to be read with it.
    other = _("Measured on sentences of another kind than this one, for which it need not hold:")
    sentences = [
        "" if is_measured(run, sentence) else other,
        claim.format(
            where=(site_and_head if best.beats_baseline else within_sentence)(best.head),
            pronouns=listed(f"“{pronoun}”" for pronoun in pronouns),
            evidence=_evidence(best),
        ),
        _silenced(best),
    ]
    if is_guided(run, best.head):
        sentences.insert(2, _("Training rewarded it for that (guided attention)."))
    if needed.cost_of_silencing - best.cost_of_silencing > NO_EFFECT:
        sentences.append(
            _("The model needs another head more: without {where} they fall to {after}.").format(
                where=within_sentence(needed.head),
                after=percent(needed.silenced_accuracy),
            )
        )
    elif best.cost_of_silencing < NO_EFFECT:
        sentences.append(_("The model has another way: this map is not its explanation."))
    return joined(sentences)


def _evidence(head: PronounHead) -> str:
    return _(
        "its largest weight lies on the antecedent in {score} of {n} held-out test cases "
        "(best rule, {rule}: {baseline}; seed {seed})"
    ).format(
        score=percent(head.score),
        n=number(head.n),
        rule=_(head.baseline_name),
        baseline=percent(head.baseline),
        seed=head.seed,
    )


def _silenced(head: PronounHead) -> str:
    return _("Silenced, pronouns go from {before} right to {after} (of {n}).").format(
        before=percent(head.accuracy), after=percent(head.silenced_accuracy), n=number(head.n)
    )
