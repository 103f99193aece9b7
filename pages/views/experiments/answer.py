"""What came out of an experiment: each variant's share of sentences that are right."""

import math
from collections.abc import Iterator, Mapping, Sequence

import streamlit as st

from core.studies.experiments.experiment import BASE, WITHIN, Experiment
from core.studies.experiments.findings import (
    Comparison,
    Finding,
    all_findings,
    findings,
    in_words,
    margin,
)
from core.studies.experiments.measures import EXACT_MATCH, Measure
from core.studies.experiments.results import Estimate, of_trainings
from core.tasks import TASKS, right_targets
from pages.frame import cached, charts, controls, links, measured_on
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
from pages.views.experiments import lengths, question
from pages.views.experiments.claims import WORDS, answer
from pages.views.experiments.question import Asked
from viz.charts.curves import Quantity
from viz.charts.frames import runs_table, written
from viz.charts.intervals import Measured, intervals
from viz.component.standalone import Drawn

DRAWN = "experiment_drawn"
"""In the URL: the measure that is drawn."""


def draw(asked: Asked) -> Shown | None:
    """Draw each variant's share of right sentences, with its interval and its seeds."""
    if lengths.is_about_distances(asked):
        shown = lengths.draw_distances(asked)
        _table(asked)
        _open(asked)
        return shown
    results = asked.results
    measure = _ask_measure(asked)
    found = findings(asked.experiment, results, measure)
    pictures = [_chart(asked, found, measure)]
    st.caption(_legend(asked, found, measure))
    if measure is not None and measure.meaning:
        st.caption(_(measure.meaning))
    question.say_caution(asked)
    _table(asked)
    _open(asked)
    lines = [in_words(each, question.writing()) for each in all_findings(asked.experiment, results)]
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


def _chart(asked: Asked, found: Sequence[Finding], measure: Measure | None) -> Drawn:
    """Draw each variant's mean, its trainings, and the interval by which it is compared."""
    label = _label(measure)
    share = measure is None or measure.share
    title = n_(
        "{measure}: {n} training of {steps} steps",
        "{measure}: mean of {n} trainings of {steps} steps",
        asked.results.n_seeds[1],
        asked.n_seeds,
    )
    return charts.chart(
        intervals(
            [_measured(asked, each) for each in found if each.complete],
            value=Quantity(
                label,
                share=share,
                zero=share,
                domain=(0.0, 1.0) if share else None,
            ),
            of_each=_("training with seed"),
            write=question.writer(measure),
            title=title.format(measure=capitalised(label), steps=number(asked.steps)),
        )
    )


def _measured(asked: Asked, finding: Finding) -> Measured:
    """Return the row of a variant, with the interval of its difference around its mean."""
    mean, less = finding.share.mean, finding.less
    low, high = -math.inf, math.inf
    if less is not None:
        low, high = mean + less.mean - less.high, mean + less.mean - less.low
    name = EXACT_MATCH if finding.measure is None else finding.measure.name
    values = [each.value(name) for each in asked.results.of(finding.name)]
    each_one = [value for value in values if value is not None]
    word = _(WORDS[finding.comparison]) if finding.comparison else ""
    is_base = finding.name == BASE
    return Measured(_(finding.variant), mean, low, high, each_one, word, is_base)


def _label(measure: Measure | None) -> str:
    """Return what people call a measure; None is right sentences."""
    return _("correct sentences") if measure is None else _(measure.label)


def _legend(asked: Asked, found: Sequence[Finding], measure: Measure | None) -> str:
    """Say what the marks and the words are, and what is learned: a sentence and its target."""
    text = _(
        "● mean · ○ one training · ┊ mean of “{base}” · ━ 95 % interval of the difference from it"
    )
    against = _("“{variant}” is compared with “{other}”.")
    lines = [
        text.format(base=_(asked.experiment.variant(BASE).label)),
        *_rules(found, measure),
        *(
            against.format(variant=_(each.variant), other=_(each.against))
            for each in found
            if each.against
        ),
    ]
    task = TASKS[asked.experiment.task]
    source = task.examples[0].source
    targets = [f"“{plain(each)}”" for each in right_targets(task, source)]
    if targets and measure is None:
        text = _(
            "Task “{task}”, {sentences}. One is correct if every word is: “{source}” → {target}"
        )
        lines.append(
            text.format(
                task=task.name,
                sentences=measured_on.of_task(task.name, found[0].n),
                source=plain(source),
                target=alternatives(targets),
            )
        )
    return "  \n".join(lines)


def _rules(found: Sequence[Finding], measure: Measure | None) -> Iterator[str]:
    """Say in one line by which rules the words beside the bars are chosen."""
    words, rules = {each.comparison for each in found}, []
    if words & {Comparison.BETTER, Comparison.WORSE, Comparison.NOTHING}:
        rules.append(_("better, worse: the whole interval lies on one side of ┊"))
    if margin(measure) and words & {Comparison.AS_GOOD, Comparison.NO_BETTER}:
        text = _("as good: no part of the interval lies more than {points} points below ┊")
        rules.append(text.format(points=number(round(100 * WITHIN))))
    if Comparison.UNCLEAR in words:
        rules.append(_("unclear: the interval is too wide to tell"))
    if rules:
        yield " · ".join(rules)


def _ask_measure(asked: Asked) -> Measure | None:
    """Ask which measure is drawn, where there are several; None for right sentences."""
    if not (measures := asked.measures):
        return None
    labels = {each.name: _(each.label) for each in measures}
    offered = {EXACT_MATCH: _label(None), **labels}
    judged = asked.experiment.judged_by
    usual = judged if judged in offered else EXACT_MATCH
    # A choice of one experiment is none of another.
    key = f"{DRAWN}_{asked.experiment.name}"
    name = controls.selection(_("What is drawn"), key, offered, usual, 320, labelled=False)
    return asked.experiment.measure(name)


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
                    label, steps = _("Open “{variant}”"), cached.settings(runs[run]).training.steps
                    if steps != asked.steps:
                        label = _("Open “{variant}”, trained for {steps} steps")
                    label = label.format(variant=_(each.label), steps=number(steps))
                    links.link(
                        "attention", label, ":material/open_in_new:", {"model": run, "view": "maps"}
                    )
