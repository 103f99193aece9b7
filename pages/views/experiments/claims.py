"""The answer to the question of an experiment, and what came out for each part of its claim."""

from collections.abc import Iterator, Mapping, Sequence

from core.studies.experiments.findings import (
    Comparison,
    Finding,
    Reason,
    Verdict,
    findings,
    vanishes,
)
from core.studies.experiments.measures import Measure
from pages.frame.language import N_, _, capitalised, enumerated, listed_apart, n_
from pages.frame.texts import toml
from pages.views.experiments.question import Asked, bold, extremes, quoted, writer

WORDS = {
    Comparison.AS_GOOD: N_("as good"),
    Comparison.BETTER: N_("better"),
    Comparison.WORSE: N_("worse"),
    Comparison.NOTHING: N_("nothing right"),
    Comparison.NO_BETTER: N_("no better"),
    Comparison.UNCLEAR: N_("unclear"),
}
"""How a variant compares → what stands beside its bar."""
_PARTS = {
    Verdict.HOLDS: N_("✓ borne out: {parts}."),
    Verdict.FAILS: N_("✗ refuted: {parts}."),
    Verdict.OPEN: N_("? undecided: {parts}."),
}
"""The verdict on parts of a claim → the line on them."""


def answer(asked: Asked, by: Measure | None) -> str:
    """Return in Markdown the answer in words, and how much of the claim holds, part by part.

    Args:
        asked: What is looked at.
        by: The measure that is drawn; None for right sentences. If the claim is about another
            measure, its extremes stand alone.
    """
    found = findings(asked.experiment, asked.results, by)
    judged = _judged(found)
    if not judged:
        label = _("correct sentences") if by is None else _(by.label)
        values = {_(each.variant): each.share.mean for each in found if each.complete}
        return extremes(capitalised(label), values, writer(by))
    verdicts = list(judged.values())
    words = _in_words(asked, found)
    gradient = of_gradient(
        asked, "drawn_gradient", _("at the start of training (see “learning”, “by layer”)")
    )
    return "  \n".join([bold(words or _verdict([*verdicts, *gradient])), *_parts(judged, gradient)])


def answer_in_words(asked: Asked) -> str:
    """Return the answer to the question, bold; empty where none is written for these verdicts."""
    by = asked.experiment.measure(asked.experiment.judged_by)
    words = _in_words(asked, findings(asked.experiment, asked.results, by))
    return bold(words) if words else ""


def _judged(found: Sequence[Finding]) -> dict[Finding, Verdict]:
    """Return the verdicts on those variants of which something is claimed."""
    return {each: each.judged.verdict for each in found if each.judged is not None}


def _in_words(asked: Asked, found: Sequence[Finding]) -> str:
    """Return the answer of `pages/texts/<language>/answers.toml`; empty where it has none.

    {worse} in it says whether the variants that do worse, as claimed, get anything right.
    """
    judged = _judged(found)
    verdicts = list(judged.values())
    if not judged or set(verdicts) == {Verdict.OPEN}:
        return _undecided(asked, judged) if judged else ""
    key = verdicts[0] if len(set(verdicts)) == 1 else "_".join(verdicts)
    words = str(toml("answers")[asked.experiment.name].get(key, ""))
    claimed = {each.comparison for each, verdict in judged.items() if verdict is Verdict.HOLDS}
    worse = _("gets nothing right") if Comparison.WORSE not in claimed else _("does worse")
    return words.format(worse=worse, **_figures(asked, found))


def _figures(asked: Asked, found: Sequence[Finding]) -> dict[str, str]:
    """Return each variant → its mean, and VARIANT_usual → its figure at the usual learning rate."""
    write = writer(found[0].measure)
    means = {each.name: write(each.share.mean) for each in found if each.complete}
    usual = {
        each.variant: write(each.figure)
        for each in asked.results.tried
        if each.rate == each.times == 1 and each.figure is not None
    }
    return means | {f"{name}_usual": text for name, text in (means | usual).items()}


def _undecided(asked: Asked, judged: Mapping[Finding, Verdict]) -> str:
    """Say why nothing is decided."""
    if not asked.results.tried:
        return _("Undecided: these results are older than today’s rules.")
    if Reason.UNLEARNED in map(_reason, judged):
        return _("Undecided: it was not shown that the base is trained long enough.")
    return n_(
        "Undecided: {n} training of each is too few to tell.",
        "Undecided: {n} trainings of each are too few to tell.",
        asked.results.n_seeds[1],
        asked.n_seeds,
    )


def _reason(finding: Finding) -> Reason | None:
    return None if finding.judged is None else finding.judged.reason


def _verdict(verdicts: Sequence[Verdict]) -> str:
    """Say how much of the claim holds; nothing where nothing of it is certain."""
    if set(verdicts) == {Verdict.HOLDS}:
        return _("The claim is borne out.")
    if set(verdicts) == {Verdict.FAILS}:
        return _("The claim is refuted.")
    if Verdict.HOLDS in verdicts:
        return _("The claim is borne out in part.")
    return _("A part of the claim is refuted.") if Verdict.FAILS in verdicts else ""


def _parts(judged: Mapping[Finding, Verdict], gradient: Mapping[Verdict, str]) -> Iterator[str]:
    """Say what was found for each part of the claim, by the verdicts on them."""
    for verdict in _PARTS:
        groups: dict[Comparison | None, list[str]] = {}
        for each, its_verdict in judged.items():
            if its_verdict is verdict and _reason(each) is not Reason.UNLEARNED:
                groups.setdefault(each.comparison, []).append(quoted(_(each.variant)))
        parts = [
            _part(comparison, len(variants)).format(variants=enumerated(variants))
            for comparison, variants in groups.items()
        ]
        if verdict in gradient:
            parts.append(gradient[verdict])
        if parts:
            yield of_parts(verdict, parts)


def _part(comparison: Comparison | None, n: int) -> str:
    """Return what is said of variants that compare in one way."""
    match comparison:
        case Comparison.AS_GOOD:
            return n_("{variants} does as well", "{variants} do as well", n)
        case Comparison.BETTER:
            return n_("{variants} does better", "{variants} do better", n)
        case Comparison.WORSE:
            return n_("{variants} does worse", "{variants} do worse", n)
        case Comparison.NOTHING:
            return n_("{variants} gets nothing right", "{variants} get nothing right", n)
        case Comparison.NO_BETTER:
            return n_("{variants} does no better", "{variants} do no better", n)
        case _:
            return _("{variants} may differ by chance")


def of_gradient(asked: Asked, name: str, moment: str) -> dict[Verdict, str]:
    """Say whether the gradient vanishes where that is claimed, by every training of it.

    Args:
        asked: What is looked at.
        name: Which gradients, by their name in the results.
        moment: Before training, or after it.

    Returns:
        The verdict and the finding; nothing where that is not claimed, or was not measured.
    """
    claimed = [each for each in asked.experiment.vanishing if asked.results.by_layer(each, name)]
    found = {vanishes(asked.results, each, name) for each in claimed}
    if not found:
        return {}
    if found == {True}:
        verdict, text = Verdict.HOLDS, _("the gradient vanishes {moment}")
    elif found == {False}:
        verdict, text = Verdict.FAILS, _("the gradient does not vanish {moment}")
    elif True in found:
        verdict, text = Verdict.OPEN, _("the gradient vanishes {moment}, but not in every variant")
    else:
        verdict, text = Verdict.OPEN, _("the gradient vanishes {moment} in some trainings only")
    return {verdict: text.format(moment=moment)}


def of_parts(verdict: Verdict, parts: Sequence[str]) -> str:
    """Return the line on those parts of a claim that have a verdict."""
    return _(_PARTS[verdict]).format(parts=listed_apart(parts))
