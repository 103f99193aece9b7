"""What came out of an experiment: each variant's share of sentences that are right."""

from collections.abc import Mapping

import streamlit as st

from core.studies.experiments.experiment import Experiment, Variant
from core.studies.experiments.findings import all_findings, in_words
from core.studies.experiments.measures import EXACT_MATCH, Measure
from core.studies.experiments.results import Estimate
from core.studies.experiments.tables import of_trainings
from core.studies.experiments.verdicts import rate_times
from core.tasks import TASKS, right_targets
from pages.frame import cached, charts, controls, links
from pages.frame.controls import fold
from pages.frame.language import (
    _,
    alternatives,
    capitalised,
    n_,
    number,
    plain,
)
from pages.frame.view import Shown
from pages.views.experiments import question
from pages.views.experiments.claims import answer
from pages.views.experiments.question import Asked
from viz.charts.curves import Quantity
from viz.charts.frames import runs_table, written
from viz.charts.intervals import Measured, intervals
from viz.component.standalone import Drawn

DRAWN = "experiment_drawn"
"""In the URL: the measure that is drawn."""


def draw(asked: Asked) -> Shown | None:
    """Draw each variant's share of right sentences, with its interval and its seeds."""
    results = asked.results
    measure = _ask_measure(asked)
    pictures = [_chart(asked, measure)]
    st.caption(_legend(asked, exact=measure is None))
    if times := [
        rate_times(asked.experiment, each) for each in asked.trained if _has_other_rate(asked, each)
    ]:
        text = _("Not compared: the learning rate is {times} times as high.")
        st.caption(text.format(times=number(max(times), significant=2)))
    if measure is not None and measure.meaning:
        st.caption(_(measure.meaning))
    question.say_caution(asked)
    _table(asked)
    _open(asked)
    found = all_findings(asked.experiment, results)
    lines = [in_words(each, question.writing()) for each in found]
    fold(
        _("What came out, with intervals"),
        "intervals",
        lambda: st.markdown("\n".join(f"- :small[{line}]" for line in lines)),
        compact=True,
    )
    measures = [each.name for each in asked.measures]
    return Shown(
        name=asked.experiment.name,
        title=_(asked.experiment.question),
        seen=answer(asked, measure),
        recipe=asked.recipe(of_trainings, measures),
        code=(Experiment, Estimate, all_findings),
        pictures=pictures,
        about={"task": asked.experiment.task, "command": results.command},
    )


def _chart(asked: Asked, measure: Measure | None) -> Drawn:
    """Draw each variant's mean with its interval, and its trainings."""
    results, write = asked.results, question.writer(measure)
    name = EXACT_MATCH if measure is None else measure.name
    things = [
        _measured(asked, each, name) for each in asked.trained if results.has(each.name, name)
    ]
    title, value = _drawn(measure, len(results.seeds), results.trained[0].n)
    return charts.chart(
        intervals(
            things,
            value=value,
            of_each=_("training with seed"),
            write=write,
            title=title,
            compared=0,
        )
    )


def _legend(asked: Asked, *, exact: bool) -> str:
    """Say what the marks are, and what is learned: a sentence and what is right of it."""
    marks = _("● mean, with its interval · ○ one training · dashed: mean of the first row")
    task = TASKS[asked.experiment.task]
    source = task.examples[0].source
    targets = [f"“{plain(each)}”" for each in right_targets(task, source)]
    if not targets or not exact:
        return marks
    text = _("A sentence is right if every word is: “{source}” → {target}")
    return f"{marks}  \n" + text.format(source=plain(source), target=alternatives(targets))


def _ask_measure(asked: Asked) -> Measure | None:
    """Ask which measure is drawn, where there are several; None for right sentences."""
    if not (measures := asked.measures):
        return None
    labels = {each.name: _(each.label) for each in measures}
    offered = {EXACT_MATCH: _("sentences right"), **labels}
    judged = asked.experiment.judged_by
    usual = judged if judged in offered else EXACT_MATCH
    # A choice of one experiment is none of another.
    key = f"{DRAWN}_{asked.experiment.name}"
    name = controls.selection(_("What is drawn"), key, offered, usual, 320, labelled=False)
    return asked.experiment.measure(name)


def _drawn(measure: Measure | None, n_seeds: int, n_sentences: int) -> tuple[str, Quantity]:
    """Return the title of the chart, and what it draws."""
    if measure is not None:
        title = n_(
            "{measure}: {n} training of each",
            "{measure}: mean of {n} trainings of each, 95 % interval",
            n_seeds,
        ).format(measure=capitalised(_(measure.label)), n=number(n_seeds))
        return title, Quantity(
            _(measure.label),
            share=measure.share,
            zero=measure.share,
            domain=(0.0, 1.0) if measure.share else None,
        )
    title = n_(
        "Held-out sentences without a mistake (n = {n_sentences}): {n} training of each",
        "Held-out sentences without a mistake (n = {n_sentences}): mean of {n} trainings of each, "
        "95 % interval",
        n_seeds,
    ).format(n=number(n_seeds), n_sentences=number(n_sentences))
    return title, Quantity(_("sentences right"), share=True, domain=(0.0, 1.0))


def _measured(asked: Asked, variant: Variant, measure: str) -> Measured:
    found = asked.results.estimate(variant.name, measure)
    values = [each.value(measure) for each in asked.results.of(variant.name)]
    each_one = [value for value in values if value is not None]
    note = _("not compared") if _has_other_rate(asked, variant) else ""
    return Measured(_(variant.label), found.mean, found.low, found.high, each_one, note)


def _has_other_rate(asked: Asked, variant: Variant) -> bool:
    """Say whether a learning rate of its own keeps a variant from what the claim says of it."""
    return variant.expected is not None and not question.is_compared(asked, variant)


def _table(asked: Asked) -> None:
    rows = [_row(asked, each.name, _(each.label)) for each in asked.trained]
    of_measures = [_(each.label) for each in asked.measures if each.share]
    shares = {
        name: lambda value: question.writer(None)(value / 100)
        for name in (_("right"), *of_measures)
    }
    others = {_(each.label): question.writer(each) for each in asked.measures if not each.share}
    st.dataframe(
        written(
            runs_table(rows),
            {
                **shares,
                **others,
                _("loss"): number,
                _("parameters"): number,
            },
        ),
        hide_index=True,
        placeholder="",
        height="content",
        alt=_("Figures of each variant, means over its trainings"),
    )


def _row(asked: Asked, variant: str, label: str) -> Mapping[str, object]:
    """Return the means of a variant, by the names of their columns."""
    results = asked.results
    trained = results.of(variant)
    mean = {name: results.estimate(variant, name).mean for name in ("exact_match", "loss")}
    row: dict[str, object] = {_("variant"): label}
    # What the claim is about comes first: on a phone the other columns are scrolled to.
    measures = sorted(asked.measures, key=lambda each: each.name != asked.experiment.judged_by)
    if measures and measures[0].name == asked.experiment.judged_by:
        row |= _mean_of(asked, variant, measures.pop(0))
    row[_("right")] = 100 * mean["exact_match"]
    for measure in measures:
        row |= _mean_of(asked, variant, measure)
    return row | {
        _("loss"): mean["loss"],
        _("parameters"): trained[0].parameters,
    }


def _mean_of(asked: Asked, variant: str, measure: Measure) -> Mapping[str, object]:
    """Return the mean of a measure of a variant under its column's name; nothing without one."""
    found = asked.results.measured(variant, measure.name)
    return {} if found is None else {_(measure.label): (100 if measure.share else 1) * found.mean}


def _open(asked: Asked) -> None:
    """Link to those variants that are among the runs, in all views."""
    runs = cached.run_paths()
    with st.container(horizontal=True):
        for each in asked.trained:
            name = f"{asked.experiment.name}-{each.name}"
            for run in (each.shipped, name, cached.name_of(cached.own() / name)):
                if run in runs:
                    label = _("Open “{variant}”").format(variant=_(each.label))
                    links.link("", label, ":material/open_in_new:", {"model": run, "view": "maps"})
