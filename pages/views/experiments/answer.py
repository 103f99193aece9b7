"""What came out of an experiment: each variant's share of sentences that are right."""

from collections.abc import Mapping

import streamlit as st

from core.experiments.experiment import BASE, Experiment
from core.experiments.findings import findings, in_words
from core.experiments.results import Estimate, Results
from pages.frame import cached, charts, links
from pages.frame.language import N_, _, n_, number, percent_of_100, translated
from pages.frame.view import Columns, Shown
from pages.views.experiments import question
from pages.views.experiments.question import Asked
from viz.charts.curves import Quantity
from viz.charts.frames import runs_table, written
from viz.charts.intervals import Measured, intervals

SHARES = {
    "names_right": N_("unseen names right"),
    "seen_names_right": N_("seen names right"),
    "seen_exact_match": N_("right with seen names"),
}
FIGURES = {"p_gen_words": N_("p_gen on words"), "p_gen_names": N_("p_gen on names")}
"""What only some experiments measure (`core.evaluate.copying`) → what it is called in the table."""


def draw(asked: Asked) -> Shown | None:
    """Draw each variant's share of right sentences, with its interval and its seeds."""
    results = asked.results
    things = [_measured(results, each.name, _(each.label)) for each in asked.trained]
    n_seeds = len(results.seeds)
    title = n_(
        "Held-out sentences without a mistake: {n} training of each",
        "Held-out sentences without a mistake: mean of {n} trainings of each, 95 % interval",
        n_seeds,
    ).format(n=number(n_seeds))
    value = Quantity(_("sentences right"), share=True, domain=(0.0, 1.0))
    left, right = st.columns([11, 9], gap="medium")
    with left:
        picture = charts.chart(
            intervals(things, value=value, of_each=_("training with seed"), title=title)
        )
    with right:
        _table(asked)
        _open(asked)
    lines = [in_words(each, question.writing()) for each in findings(asked.experiment, results)]
    st.markdown("\n".join(f"- :small[{line}]" for line in lines))
    return Shown(
        name=asked.experiment.name,
        title=_(asked.experiment.question),
        seen=question.seen(asked),
        numbers=lambda: _numbers(asked),
        python=_python(asked),
        code=(Experiment, Results, Estimate, findings),
        pictures=[picture],
        about={"task": asked.experiment.task, "command": results.command},
        how_to_read=_(
            "A filled dot is the mean of a variant’s trainings, a ring below it one of them, and "
            "the line its 95 % interval (Student’s t): with three seeds it is wide. The dashed "
            "line is the first variant’s mean. What is said of a variant compares it with the "
            "first one seed by seed, since trainings of one seed learn from the same batches."
        ),
        tries=(
            _("Run it again with more seeds: the intervals become narrow."),
            _("Open a variant, and look at its heads in the view “maps”."),
        ),
    )


def _measured(results: Results, variant: str, label: str) -> Measured:
    found = results.estimate(variant)
    return Measured(
        label, found.mean, found.low, found.high, [each.exact_match for each in results.of(variant)]
    )


def _table(asked: Asked) -> None:
    rows = [_row(asked.results, each.name, _(each.label)) for each in asked.trained]
    named = translated({**SHARES, **FIGURES})
    shares = {
        name: lambda value: percent_of_100(value, 1)
        for name in (_("right"), _("pronouns right"), *(named[each] for each in SHARES))
    }
    st.dataframe(
        written(
            runs_table(rows),
            {
                **shares,
                **{named[each]: lambda value: number(value, 3) for each in FIGURES},
                _("loss"): number,
                _("parameters"): number,
                _("minutes"): lambda value: number(value, 1),
            },
        ),
        hide_index=True,
        placeholder="",
        height="content",
        alt=_("Figures of each variant, means over its trainings"),
    )


def _row(results: Results, variant: str, label: str) -> Mapping[str, object]:
    """Return the means of a variant, by the names of their columns."""
    trained = results.of(variant)
    mean = {
        name: results.estimate(variant, name).mean for name in ("exact_match", "loss", "seconds")
    }
    has_pronouns = all(each.pronouns is not None for each in trained)
    row: dict[str, object] = {_("variant"): label, _("right"): 100 * mean["exact_match"]}
    if has_pronouns:
        row[_("pronouns right")] = 100 * results.estimate(variant, "pronouns").mean
    return (
        row
        | _special(results, variant)
        | {
            _("loss"): mean["loss"],
            _("parameters"): trained[0].parameters,
            _("minutes"): mean["seconds"] / 60,
        }
    )


def _special(results: Results, variant: str) -> dict[str, object]:
    """Return what only some experiments measure, by the names of its columns."""
    had = {name for each in results.of(variant) for name in each.measures}
    return {
        _(label): factor * results.estimate(variant, name).mean if name in had else None
        for labels, factor in ((SHARES, 100.0), (FIGURES, 1.0))
        for name, label in labels.items()
        if name in results.measures()
    }


def _open(asked: Asked) -> None:
    """Link to those variants that are among the runs, in all views."""
    runs = cached.run_paths()
    with st.container(horizontal=True):
        for each in asked.trained:
            name = f"{asked.experiment.name}-{each.name}"
            # The gallery may have the base, by the experiment's own name.
            shipped = [asked.experiment.name] if each.name == BASE else []
            for run in (*shipped, name, f"runs/{name}"):
                if run in runs:
                    label = _("Open “{variant}”").format(variant=_(each.label))
                    links.link("", label, ":material/open_in_new:", {"model": run, "view": "maps"})


def _numbers(asked: Asked) -> Columns:
    """Return a row for each training."""
    trained = [each for variant in asked.trained for each in asked.results.of(variant.name)]
    names = (
        *("variant", "seed", "exact_match", "n", "loss", "pronouns", "n_pronouns"),
        *("parameters", "seconds"),
    )
    return {
        **{name: [getattr(each, name) for each in trained] for name in names},
        **{
            name: [each.measures.get(name) for each in trained] for name in asked.results.measures()
        },
    }


def _python(asked: Asked) -> str:
    names = [each.name for each in asked.trained]
    lines = [
        question.reading(asked),
        "numbers = {",
        '    "exact_match": [',
        f"        each.exact_match for name in {names} for each in results.of(name)",
        "    ]",
        "}",
        "",
    ]
    return "\n".join(lines)
