"""A question about the Transformer, and the results that are looked at."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import streamlit as st

from core.experiments import EXPERIMENTS, Experiment
from core.experiments.experiment import Variant
from core.experiments.findings import Finding, Verdict, Writing, findings
from core.experiments.measures import Measure
from core.experiments.results import SHIPPED, Results
from pages.frame import cached, controls
from pages.frame.language import N_, _, n_, number, percent, plain
from pages.frame.lessons import EXPERIMENT
from pages.frame.snippets import quoted

WHERE = "experiment_run"
"""In the URL: whose trainings are shown."""
OF_PROJECT, HERE = "shipped", "here"
_FOLDER = ".experiments"
_VERDICTS = {
    Verdict.HOLDS: N_("as claimed"),
    Verdict.FAILS: N_("**not as claimed**"),
    Verdict.OPEN: N_("too few seeds to tell"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked at."""

    experiment: Experiment
    folder: Path
    """Of the results."""
    results: Results

    @property
    def measures(self) -> list[Measure]:
        """What was measured beside right sentences; older results have none of it."""
        return [each for each in self.experiment.measures if self.results.any_has(each.name)]

    @property
    def trained(self) -> list[Variant]:
        """The variants of which there are results, the base first."""
        return [each for each in self.experiment.variants if self.results.of(each.name)]


def ask_question() -> Experiment:
    """Ask for one of the questions, in the order of a course."""
    offered = {name: _(each.question) for name, each in EXPERIMENTS.items()}
    name = controls.selection(_("Question"), EXPERIMENT, offered, next(iter(offered)), named=True)
    return EXPERIMENTS[name]


def own_folder(experiment: Experiment) -> Path:
    """Return where an experiment is run here."""
    return cached.OWN / _FOLDER / experiment.name


def ask_results(experiment: Experiment) -> Asked | None:
    """Return the results of a question, asking whose where there are two; None without any."""
    folders = {OF_PROJECT: SHIPPED, HERE: own_folder(experiment)}
    found = {where: _found(experiment, folder) for where, folder in folders.items()}
    labels = {OF_PROJECT: _("the project’s trainings"), HERE: _("trained here")}
    offered = {where: label for where, label in labels.items() if found[where] is not None}
    if not offered:
        return None
    where = next(iter(offered))
    if len(offered) > 1:
        where = controls.choice(_("Whose trainings"), WHERE, offered, where)
    results = found[where]
    return None if results is None else Asked(experiment, folders[where], results)


def _found(experiment: Experiment, folder: Path) -> Results | None:
    try:
        return Results.found(experiment.name, folder)
    except (ValueError, OSError) as error:
        text = _("Results of this question cannot be read: {why}")
        st.warning(plain(text.format(why=str(error).removeprefix(f"{folder}/"))))
        return None


def seen(asked: Asked) -> str:
    """Say in Markdown whether it came out as claimed, then each variant, the base first."""
    judged = asked.experiment.measure(asked.experiment.judged_by)
    if judged in asked.measures:
        found = findings(asked.experiment, asked.results, judged)
        return " ".join([*_verdict(asked, found), *map(_briefly, found)])
    base, *others = found = findings(asked.experiment, asked.results)
    text = _("**{variant}**: {share} right, of held-out sentences (n = {n}).")
    first = text.format(
        variant=_(base.variant), share=f"**{percent(base.share.mean)}**", n=number(base.n)
    )
    return " ".join([*_verdict(asked, found), first, *map(_briefly, others)])


def _verdict(asked: Asked, found: Sequence[Finding]) -> Iterator[str]:
    """Say of all variants together whether it came out as claimed, where that was judged."""
    given = {each.verdict for each in found if each.verdict is not None}
    if not given:
        return
    if given == {Verdict.HOLDS}:
        yield _("**As claimed.**")
    elif given == {Verdict.OPEN}:
        n = len(asked.results.seeds)
        text = n_("**Undecided** with {n} seed.", "**Undecided** with {n} seeds.", n)
        yield text.format(n=number(n))
    elif Verdict.HOLDS in given:
        yield _("**Partly as claimed.**")
    else:
        yield _("**Not as claimed.**")


def _briefly(finding: Finding) -> str:
    measure = finding.measure
    if measure is not None:
        return _briefly_by(measure, finding)
    share = percent(finding.share.mean)
    if finding.verdict is None:
        text = _("{variant}: **{share}**.")
        return text.format(variant=_(finding.variant), share=share)
    text = _("{variant}: **{share}**, {verdict}.")
    return text.format(
        variant=_(finding.variant), share=share, verdict=_(_VERDICTS[finding.verdict])
    )


def _briefly_by(measure: Measure, finding: Finding) -> str:
    """Say what came out by a further measure."""
    text = _("{variant}: {measure} **{value}**.")
    value = percent(finding.share.mean) if measure.share else number(finding.share.mean, 1)
    said = {"variant": _(finding.variant), "measure": _(measure.label), "value": value}
    if not finding.complete:
        text = _("{variant}: {measure} not reached in every training.")
    elif finding.verdict is not None:
        text = _("{variant}: {measure} **{value}**, {verdict}.")
        said["verdict"] = _(_VERDICTS[finding.verdict])
    return text.format(**said)


def writing() -> Writing:
    """Return how findings are written in the reader's language."""
    return Writing(
        text=_,
        share=percent,
        points=lambda n: number(n, 1),
        count=number,
        number=lambda value: number(value, 1),
    )


def reading(asked: Asked, *imports: str) -> str:
    """Return lines of Python that read the results as `results`."""
    parts = asked.folder.parts[-3 if asked.folder.parent.name == _FOLDER else -2 :]
    found = str(PurePosixPath(*parts, asked.experiment.name).with_suffix(".json"))
    needed = sorted({"from core.experiments.results import Results", *imports})
    return "\n".join(
        [
            "from pathlib import Path",
            "",
            *needed,
            "",
            f"results = Results.load(Path({quoted(found)}))",
        ]
    )
