"""One run: its results, its curves, its settings, and the command that makes it again."""

from collections.abc import Sequence

import streamlit as st

from core.runs.metrics import (
    Results,
    RunRecord,
    numbers_of_runs,
    read_record,
    read_rows,
    settings_of,
)
from core.runs.run import RunSettings
from pages.frame import cached, charts, measured_on
from pages.frame.cached import Folder
from pages.frame.language import _, joined, n_, number, percent, plain, translated
from pages.frame.recipe import Recipe
from pages.frame.view import Shown
from pages.views.training import progress
from pages.views.training.knobs import setting_label
from pages.views.training.runs_table import Listed, named
from viz.charts.frames import DIFFERS, settings_table
from viz.charts.measurements import TEXTS, Axes
from viz.charts.training import loss_curves
from viz.component.standalone import Drawn


def draw(runs: Sequence[Listed]) -> Shown | None:
    """Show a run.

    Args:
        runs: That one.
    """
    [run] = runs
    if run.problem:
        st.error(plain(_("It cannot be used: {why}.").format(why=run.problem)))
    if run.record is None:
        return None
    settings = settings_of(run.record)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        pictures = _curves(run)
        st.caption(_("The command that makes the same run again"))
        st.code(run.record.settings.command, language="bash", wrap_lines=True)
    with right:
        st.dataframe(
            settings_table({run.name: settings}).rename(index=setting_label),
            height=470,
            column_config={
                DIFFERS: None,
                "_index": st.column_config.Column(_("setting"), width=210),
            },
            alt=_("Settings"),
        )
    return Shown(
        name=run.path.name,
        title=_("The run {run}").format(run=run.name),
        seen=_seen(run.record),
        recipe=Recipe(numbers_of_runs, named([run])),
        code=[read_record],
        pictures=pictures,
        about={"command": run.record.settings.command},
    )


def _seen(record: RunRecord) -> str:
    """Say how large the model is, and how much it has right."""
    size = n_("{n} parameter.", "{n} parameters.", record.n_parameters).format(
        n=f"**{number(record.n_parameters)}**"
    )
    results = record.results
    if results is None or results.exact_match is None:
        unmeasured = _("It was not measured on held-out sentences yet.")
        return joined([size, unmeasured])
    right = _("Of {sentences} **{share}** are right in every token (step {step}).").format(
        sentences=_counted(record.settings, results),
        share=percent(results.exact_match),
        step=number(results.step),
    )
    if results.token_accuracy is not None:
        tokens = _("Of the single tokens {share} are right.")
        right = joined([right, tokens.format(share=percent(results.token_accuracy))])
    right = joined(
        [right, *measured_on.cut(results.n_unfinished), *measured_on.counted(record.settings)]
    )
    if not record.settings.beside_own_pairs:
        return joined([right, size])
    if own := results.own_pairs:
        beside = _("On {sentences} BLEU is **{bleu}**, and {share} are right in every token.")
        beside = beside.format(
            sentences=measured_on.own_pairs(record.settings, own.n),
            bleu=number(own.bleu, 1),
            share=percent(own.exact_match),
        )
        right = joined([right, beside])
    harder = _(
        "Half of the curve’s held-out sentences come from its file of pairs: they are harder, and "
        "the curve’s loss is higher than the table’s."
    )
    return joined([right, harder, size])


def _counted(settings: RunSettings, results: Results) -> str:
    """Return in words what right sentences were counted among."""
    n = results.n or 0
    if settings.beside_own_pairs and results.while_training:
        text = n_(
            "{n} held-out sentence, half of them pairs of its file",
            "{n} held-out sentences, half of them pairs of its file",
            n,
        )
        return text.format(n=number(n))
    return measured_on.of_task(settings.task, n)


def _curves(run: Listed) -> list[Drawn]:
    rows = cached.read(read_rows, Folder(run.path))
    if not rows:
        st.caption(_("Nothing was measured yet."))
        return []
    title = _("Training of {run}").format(run=run.name)
    texts = translated(TEXTS)
    drawn = loss_curves(rows, axes=Axes(log_y=True), height=290, title=title, texts=texts)
    picture = charts.chart(drawn)
    if run.record and (higher := progress.why_training_loss_is_higher(run.record.settings)):
        st.caption(higher)
    return [picture]
