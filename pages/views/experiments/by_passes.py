"""What an experiment measures beside the figures of every training: a picture and a table."""

import streamlit as st

from core.studies.experiments.experiment import Experiment, Variant
from core.studies.experiments.passes import N_MEASURED, SECONDS, SHARES, TITLE, WHAT, PassMeasure
from pages.frame import charts
from pages.frame.language import _, number, percent, percent_of_100
from pages.views.experiments.question import Asked
from viz.charts.curves import Quantity
from viz.charts.frames import runs_table, written
from viz.charts.intervals import Measured, intervals
from viz.component.standalone import Drawn


def of(experiment: Experiment) -> tuple[PassMeasure, ...]:
    """Return the measures of an experiment, none of most."""
    return (*SHARES, *SECONDS) if experiment.by_passes else ()


def draw(asked: Asked) -> list[Drawn]:
    """Draw the shares that were measured of each variant, and tabulate all; nothing without any."""
    things = [thing for variant in asked.trained for thing in _shares(asked, variant)]
    if not things:
        return []
    picture = charts.chart(
        intervals(
            things,
            value=Quantity(_(WHAT), share=True, domain=(0.0, 1.0)),
            of_each=_("training with seed"),
            write=percent,
            title=_(TITLE).format(n=number(N_MEASURED)),
        )
    )
    _table(asked)
    return [picture]


def _shares(asked: Asked, variant: Variant) -> list[Measured]:
    """Return the shares that were measured of a variant; a single one needs no name of its own."""
    found = {
        measure: estimate
        for measure in of(asked.experiment)
        if measure.unit == "share"
        and (estimate := asked.results.measured(variant.name, measure.name)) is not None
    }
    name = _("{variant}: {measure}") if len(found) > 1 else "{variant}"
    return [
        Measured(
            name.format(variant=_(variant.label), measure=_(measure.label)),
            estimate.mean,
            estimate.low,
            estimate.high,
            [each.measures[measure.name] for each in asked.results.of(variant.name)],
        )
        for measure, estimate in found.items()
    ]


def _table(asked: Asked) -> None:
    """Tabulate the means: a row for each variant and way of measuring it."""
    columns = {"share": _("right"), "seconds": _("ms a sentence")}
    scales = {"share": 100.0, "seconds": 1000.0}
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for variant in asked.trained:
        for measure in of(asked.experiment):
            found = asked.results.taken(variant.name, measure)
            if found is not None:
                names = _(variant.label), _(measure.label)
                row = rows.setdefault(
                    names, dict(zip((_("variant"), _("way")), names, strict=True))
                )
                row[columns[measure.unit]] = scales[measure.unit] * found.mean
    st.dataframe(
        written(
            runs_table(list(rows.values())),
            {columns["share"]: _share, columns["seconds"]: _milliseconds},
        ),
        hide_index=True,
        placeholder="",
        height="content",
        alt=_(
            "What else was measured of each variant: mean share right, smallest time of its "
            "trainings"
        ),
    )


def _share(value: float) -> str:
    return percent_of_100(value, 1)


def _milliseconds(value: float) -> str:
    return number(value, 1)
