"""A question about the Transformer, and the results that are looked at."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.runs.metrics import Table
from core.studies.experiments import EXPERIMENTS, Experiment
from core.studies.experiments.experiment import BASE, Variant
from core.studies.experiments.findings import Writing, decimals
from core.studies.experiments.measures import Measure
from core.studies.experiments.results import SHIPPED, Results
from pages.frame import cached, controls
from pages.frame.cached import Folder
from pages.frame.language import _, enumerated, number, percent, percent_of_100, plain
from pages.frame.links import EXPERIMENT
from pages.frame.messages import explained
from pages.frame.recipe import Recipe

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

    @property
    def steps(self) -> int:
        """How many steps of training the base had, when it was trained."""
        return int(self.results.of(BASE)[0].curve["step"][-1])

    @property
    def n_seeds(self) -> str:
        """How many trainings a variant has, in words."""
        few, most = self.results.n_seeds
        text = _("{few} to {most}")
        return number(few) if few == most else text.format(few=number(few), most=number(most))

    def recipe(self, tabulate: Callable[..., Table], *arguments: object) -> Recipe[Table]:
        """Return what tabulates the results of the variants that are shown."""
        return Recipe(tabulate, self.reading, [each.name for each in self.trained], *arguments)


def ask_question() -> Experiment:
    """Ask for one of the questions, in the order in which a course meets them."""
    offered = {name: _(each.question) for name, each in EXPERIMENTS.items()}
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


def say_caution(asked: Asked) -> None:
    """Say below a picture what is to be kept in mind of it; nothing of most questions."""
    if asked.experiment.caution:
        caution = _("**Keep in mind:** {caution}")
        st.caption(caution.format(caution=_(asked.experiment.caution)))


def names(some: Collection[str], all_of_them: Collection[str]) -> str:
    """Return the names of some variants, or of the only one that is not among them."""
    others = [each for each in all_of_them if each not in some]
    if not others and len(some) > 1:
        return _("all variants")
    if len(others) == 1 and len(some) > 1:
        return _("all but {variant}").format(variant=quoted(others[0]))
    return enumerated(map(quoted, some))


def extremes(title: str, values: Mapping[str, float], write: Callable[[float], str]) -> str:
    """Return which variants have the least and the most of what a title names."""
    least, most = (
        _("{text} ({note})").format(text=quoted(name), note=write(values[name]))
        for name in (min(values, key=values.__getitem__), max(values, key=values.__getitem__))
    )
    text = _("{title}: lowest with {least}, highest with {most}.")
    return text.format(title=title, least=least, most=most)


def bold(sentence: str) -> str:
    """Return a sentence in bold, in Markdown; further lines stand below it as they are.

    Its full stop stays outside: between a Chinese one and a letter, Markdown ends no bold text.
    """
    first, *others = sentence.split("\n")
    return "  \n".join([f"**{first[:-1]}**{first[-1]}", *others])


def quoted(name: str) -> str:
    """Return the name of a variant within a sentence."""
    return _("“{text}”").format(text=name)


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
