"""A question about the Transformer, and the results that are looked at."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.runs.metrics import Table
from core.studies.experiments import EXPERIMENTS, GROUPS, Experiment
from core.studies.experiments.experiment import Variant
from core.studies.experiments.findings import CLAIMS, Finding, Writing, decimals, findings
from core.studies.experiments.measures import EXACT_MATCH, Measure
from core.studies.experiments.results import SHIPPED, Results
from core.studies.experiments.verdicts import Judgement, Reason, Verdict, is_apart, rate_times
from pages.frame import cached, controls, measured_on
from pages.frame.cached import Folder
from pages.frame.language import (
    N_,
    _,
    capitalised,
    joined,
    listed,
    listed_apart,
    n_,
    number,
    percent,
    percent_of_100,
    plain,
)
from pages.frame.links import EXPERIMENT
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.views.experiments.claims import of_claim

WHERE = "experiment_run"
"""In the URL: whose trainings are shown."""
OF_PROJECT, HERE = "shipped", "here"
_FOLDER = ".experiments"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked at."""

    experiment: Experiment
    reading: Recipe[Results]
    """Reads the results."""
    results: Results

    @property
    def measures(self) -> list[Measure]:
        """What was measured beside right sentences; older results have none of it."""
        return [each for each in self.experiment.measures if self.results.any_has(each.name)]

    @property
    def trained(self) -> list[Variant]:
        """The variants with results, in the order in which they are shown."""
        return [each for each in self.experiment.variants if self.results.of(each.name)]

    def recipe(self, tabulate: Callable[..., Table], *arguments: object) -> Recipe[Table]:
        """Return what tabulates the results of the variants that are shown."""
        return Recipe(tabulate, self.reading, [each.name for each in self.trained], *arguments)


def ask_question() -> Experiment:
    """Ask for one of the questions, each with the part of a course that it belongs to."""
    text = _("{question} ({part})")
    offered = {
        each.name: text.format(part=_(part), question=_(each.question))
        for part, experiments in GROUPS.items()
        for each in experiments
    }
    name = controls.selection(_("Question"), EXPERIMENT, offered, next(iter(offered)), named=True)
    return EXPERIMENTS[name]


def own_folder(experiment: Experiment) -> Path:
    """Return where an experiment is run here."""
    return cached.own() / _FOLDER / experiment.name


def ask_results(experiment: Experiment) -> Asked | None:
    """Return the results of a question, asking whose where there are two; None without any."""
    files = {OF_PROJECT: SHIPPED, HERE: own_folder(experiment)}
    found = {where: _found(experiment, folder) for where, folder in files.items()}
    labels = {OF_PROJECT: _("the project’s trainings"), HERE: _("trained here")}
    offered = {where: label for where, label in labels.items() if found[where] is not None}
    if not offered:
        return None
    where = next(iter(offered))
    if len(offered) > 1:
        where = controls.choice(_("Whose trainings"), WHERE, offered, where)
    return found[where]


def _found(experiment: Experiment, folder: Path) -> Asked | None:
    file = folder / f"{experiment.name}.json"
    if not file.exists():
        return None
    reading = Recipe(Results.load, Folder(file))
    try:
        return Asked(experiment, reading, reading.result())
    except (ValueError, OSError) as error:
        text = _("Results of this question cannot be read: {why}")
        st.warning(plain(text.format(why=explained(error))))
        return None


def seen(asked: Asked, by: Measure | None) -> str:
    """Say in Markdown whether the claim was borne out, then each variant, the base first.

    Args:
        asked: What is looked at.
        by: The measure that is drawn; None for right sentences. Only the one that the claim is
            about gets a verdict.
    """
    name = EXACT_MATCH if by is None else by.name
    judged = name == asked.experiment.judged_by
    found = findings(asked.experiment, asked.results, by)
    what = _("Right, of {sentences}").format(
        sentences=measured_on.of_task(asked.experiment.task, found[0].n)
    )
    if by is not None:
        what = capitalised(_(by.label))
    text = _("{what}: {variants}.")
    if not judged:
        variants = " · ".join(_value(each) for each in found)
        return text.format(what=what, variants=variants)
    bases = [_value(each) for each in found if each.less is None]
    lines = [text.format(what=what, variants=" · ".join(bases))] if bases else []
    return joined([*_verdict(asked, found), *lines, *_by_verdict(found)])


def _by_verdict(found: Sequence[Finding]) -> Iterator[str]:
    """Return the variants of which something is claimed, those as claimed first."""
    groups: dict[str, list[str]] = {
        name: [] for name in (_AS_CLAIMED, _AGAINST, _UNDECIDED, _NOT_JUDGED)
    }
    for each in found:
        if each.judged is None or each.expected is None:
            continue
        one = _("{value} ({claim})").format(value=_value(each), claim=_(CLAIMS[each.expected]))
        groups[_group(each.judged)].append(one)
    judged = {name: variants for name, variants in groups.items() if variants}
    for name, variants in judged.items():
        text = _(name) if len(judged) > 1 else _("{variants}.")
        yield capitalised(text.format(variants=listed(variants)))


_AS_CLAIMED, _AGAINST = N_("As claimed: {variants}."), N_("Against the claim: {variants}.")
_UNDECIDED, _NOT_JUDGED = N_("Undecided: {variants}."), N_("Not judged: {variants}.")


def _group(judged: Judgement) -> str:
    if judged.reason is Reason.RATE:
        return _NOT_JUDGED
    groups = {Verdict.HOLDS: _AS_CLAIMED, Verdict.FAILS: _AGAINST, Verdict.OPEN: _UNDECIDED}
    return groups[judged.verdict]


def say_caution(asked: Asked) -> None:
    """Say below a picture what is to be kept in mind of it; nothing of most questions."""
    if asked.experiment.caution:
        caution = _("**Keep in mind:** {caution}")
        st.caption(caution.format(caution=_(asked.experiment.caution)))


def _verdict(asked: Asked, found: Sequence[Finding]) -> Iterator[str]:
    """Say of all variants together whether the claim was borne out, where that was judged."""
    given = {each.judged for each in found if each.judged is not None}
    verdicts = {each.verdict for each in given}
    if not given:
        return
    if asked.experiment.untested:
        not_judged = _("**Not judged.** {why}")
        yield not_judged.format(why=_(asked.experiment.untested))
    elif verdicts == {Verdict.OPEN}:
        n = len(asked.results.seeds)
        text = n_(
            "**Undecided**: {n} training of each is too few to tell.",
            "**Undecided**: {n} trainings of each are too few to tell.",
            n,
        )
        yield text.format(n=number(n))
    elif verdicts in ({Verdict.HOLDS}, {Verdict.FAILS}):
        yield of_claim(asked.experiment, holds=verdicts == {Verdict.HOLDS})
    elif Verdict.HOLDS in verdicts:
        yield _("**The claim is borne out in part.**")
    else:
        yield _("**The claim is refuted in part**; the rest is undecided.")
    if any(each.reason is Reason.RATE for each in given):
        yield _rates(asked)


def _rates(asked: Asked) -> str:
    """Say which variants cannot be judged, since another learning rate tells them apart, too."""
    times = [rate_times(asked.experiment, each) for each in asked.trained]
    apart = listed_apart(
        _(each.label) for each, rate in zip(asked.trained, times, strict=True) if is_apart(rate)
    )
    text = _("Not judged, since their peak learning rate is {times} times the others’: {apart}.")
    return text.format(times=number(max(times), significant=2), apart=apart)


def _value(finding: Finding) -> str:
    """Return a variant and its mean."""
    label = _(finding.variant)
    if not finding.complete:
        return _("{variant} not reached in every training").format(variant=label)
    value = writer(finding.measure)(finding.share.mean)
    return _("{variant} **{value}**").format(variant=label, value=value)


def writer(measure: Measure | None) -> Callable[[float], str]:
    """Return what writes a measure; None for right sentences, which are a share."""
    return _share if measure is None or measure.share else _figure


def _share(share: float) -> str:
    """Return a share as it stands beside others: with one digit, even if that is 0."""
    written = percent_of_100(100 * share, 1)
    return percent(share) if written in map(percent_of_100, (0, 100), (1, 1)) else written


def _figure(value: float) -> str:
    return number(value, decimals(value)) if value else number(0)


def writing() -> Writing:
    """Return how findings are written in the reader's language."""
    return Writing(
        text=_,
        share=percent,
        points=lambda n: number(n, 1),
        count=number,
        number=_figure,
    )
