"""What an experiment measures beside the figures of every training: a picture and a table."""

import streamlit as st

from core.experiments.experiment import Experiment
from core.experiments.passes import PassMeasure
from pages.frame import charts
from pages.frame.language import _, number, percent_of_100
from pages.views.experiments.question import Asked
from viz.charts.curves import Quantity
from viz.charts.frames import runs_table, written
from viz.charts.intervals import Measured, intervals
from viz.component.standalone import Drawn


def of(experiment: Experiment) -> tuple[PassMeasure, ...]:
    """Return the measures of an experiment, none of most."""
    return experiment.measuring.measures if experiment.measuring else ()


def draw(asked: Asked) -> list[Drawn]:
    """Draw the shares that were measured of each variant, and tabulate all; nothing without any."""
    things = [
        Measured(
            _("{variant}: {measure}").format(variant=_(variant.label), measure=_(measure.label)),
            found.mean,
            found.low,
            found.high,
            [each.measures[measure.name] for each in asked.results.of(variant.name)],
        )
        for variant in asked.trained
        for measure in of(asked.experiment)
        if measure.unit == "share"
        and (found := asked.results.measured(variant.name, measure.name)) is not None
    ]
    if not things or asked.experiment.measuring is None:
        return []
    picture = charts.chart(
        intervals(
            things,
            value=Quantity(_(asked.experiment.measuring.what), share=True, domain=(0.0, 1.0)),
            of_each=_("training with seed"),
            title=_("The same models, measured in several ways"),
        )
    )
    _table(asked)
    return [picture]


def _table(asked: Asked) -> None:
    """Tabulate the means: a row for each variant, a column for each measure."""
    units = {"share": _("right, %: {measure}"), "seconds": _("ms a sentence: {measure}")}
    scales = {"share": 100.0, "seconds": 1000.0}
    rows: list[dict[str, object]] = []
    writers = {}
    for variant in asked.trained:
        row: dict[str, object] = {_("variant"): _(variant.label)}
        for measure in of(asked.experiment):
            name = units[measure.unit].format(measure=_(measure.label))
            writers[name] = _share if measure.unit == "share" else _milliseconds
            found = asked.results.measured(variant.name, measure.name)
            if found is not None:
                row[name] = scales[measure.unit] * found.mean
        rows.append(row)
    table = runs_table(rows)
    st.dataframe(
        written(table, {name: writers[name] for name in writers if name in table}),
        hide_index=True,
        placeholder="",
        height="content",
        alt=_("What else was measured of each variant, means over its trainings"),
    )


def _share(value: float) -> str:
    return percent_of_100(value, 1)


def _milliseconds(value: float) -> str:
    return number(value, 1)
