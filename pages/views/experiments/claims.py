"""The answer to the question of an experiment, in words and in numbers."""

from collections.abc import Iterator, Sequence

from core.studies.experiments.experiment import Expected, Experiment
from core.studies.experiments.findings import Finding, findings
from core.studies.experiments.measures import Measure
from core.studies.experiments.verdicts import Judgement, Reason, Verdict
from pages.frame import measured_on
from pages.frame.language import _, capitalised, enumerated, joined, listed, n_, noted, number
from pages.frame.texts import toml
from pages.views.experiments.question import Asked, quoted, writer

_AS_GOOD, _BETTER, _WORSE, _NO_BETTER = "as_good", "better", "worse", "no_better"
_OPEN = "open"
_GROUPS = _AS_GOOD, _BETTER, _WORSE, _NO_BETTER, _OPEN
"""How a variant may compare, in the order in which that is written."""


def answer(asked: Asked, by: Measure | None) -> str:
    """Return in Markdown the answer in words, the figures, and how much of the claim holds.

    Args:
        asked: What is looked at.
        by: The measure that is drawn; None for right sentences. If the claim is about another
            measure, the figures stand alone.
    """
    experiment = asked.experiment
    found = findings(experiment, asked.results, by)
    judged = {each: each.judged.verdict for each in found if each.judged is not None}
    if not judged:
        return _values(asked, by, found)
    if experiment.untested:
        cannot = _("**This task cannot tell.** {why}").format(why=_(experiment.untested))
        return joined([cannot, _values(asked, by, found)])
    bases = _values(asked, by, [each for each in found if each.less is None])
    compared = joined(_by_group(list(judged)))
    verdicts = list(judged.values())
    if words := _in_words(experiment, verdicts, len(asked.results.seeds)):
        return joined([f"**{words}**", bases, compared, _verdict(verdicts)])
    return joined([f"**{compared}**", bases, _verdict(verdicts)])


def _in_words(experiment: Experiment, verdicts: Sequence[Verdict], n_seeds: int) -> str:
    """Return the answer of `pages/texts/<language>/answers.toml`; empty where it has none."""
    if set(verdicts) == {Verdict.OPEN}:
        text = n_(
            "Not certain: {n} training of each is too few to tell.",
            "Not certain: {n} trainings of each are too few to tell.",
            n_seeds,
        )
        return text.format(n=number(n_seeds))
    key = verdicts[0] if len(set(verdicts)) == 1 else "_".join(verdicts)
    return str(toml("answers")[experiment.name].get(key, ""))


def _verdict(verdicts: Sequence[Verdict]) -> str:
    """Say how much of the claim holds; nothing where nothing of it is certain."""
    if set(verdicts) == {Verdict.HOLDS}:
        return _("The claim holds.")
    if set(verdicts) == {Verdict.FAILS}:
        return _("The claim does not hold.")
    if Verdict.HOLDS in verdicts:
        return _("The claim holds in part.")
    return _("A part of the claim does not hold.") if Verdict.FAILS in verdicts else ""


def _by_group(judged: Sequence[Finding]) -> Iterator[str]:
    """Say which variants do as well as what they are compared with, which better, which worse."""
    groups: dict[str, list[str]] = {name: [] for name in _GROUPS}
    for each in judged:
        if each.judged is not None and each.judged.reason is not Reason.RATE:
            groups[_group(each, each.judged)].append(noted(_quoted(each), _value(each)))
    for name, variants in groups.items():
        if variants:
            yield _sentence(name, len(variants)).format(variants=enumerated(variants))


def _group(finding: Finding, judged: Judgement) -> str:
    """Return how a variant compares, by the interval of the difference."""
    if finding.less is None or judged.reason is Reason.BOTH:
        return _OPEN
    if judged.reason is Reason.EQUAL:
        return _NO_BETTER if finding.expected in (Expected.MORE, Expected.NO_MORE) else _AS_GOOD
    fewer_is_better = finding.measure is not None and finding.measure.fewer_is_better
    return _BETTER if (finding.less.mean > 0) == fewer_is_better else _WORSE


def _sentence(group: str, n: int) -> str:
    """Return the sentence on the variants of a group."""
    match group:
        case "as_good":
            return n_("{variants} does as well.", "{variants} do as well.", n)
        case "better":
            return n_("{variants} does better.", "{variants} do better.", n)
        case "worse":
            return n_("{variants} does worse.", "{variants} do worse.", n)
        case "no_better":
            return n_("{variants} does no better.", "{variants} do no better.", n)
        case _:
            return _("{variants} may differ by chance.")


def _values(asked: Asked, by: Measure | None, found: Sequence[Finding]) -> str:
    """Return the mean of each of some variants, in a sentence."""
    if not found:
        return ""
    first, *others = found
    one = _("{variant} {value}")
    rest = [one.format(variant=_quoted(each), value=_value(each)) for each in others]
    if by is not None:
        start = _("{measure}: {variant} {value}").format(
            measure=capitalised(_(by.label)), variant=_quoted(first), value=_value(first)
        )
    else:
        start = _("{variant} gets {value} of {sentences} right").format(
            variant=_quoted(first),
            value=_value(first),
            sentences=measured_on.of_task(asked.experiment.task, first.n),
        )
    return _("{text}.").format(text=listed([start, *rest]))


def _quoted(finding: Finding) -> str:
    return quoted(_(finding.variant))


def _value(finding: Finding) -> str:
    """Return the mean of a variant."""
    if not finding.complete:
        return _("not reached in every training")
    return writer(finding.measure)(finding.share.mean)
