"""Several runs beside each other: curves, settings and results."""

from collections.abc import Sequence

import streamlit as st

from core.runs.metrics import (
    BLEU_KEYS,
    RunRecord,
    numbers_of_runs,
    read_record,
    read_rows,
    settings_of,
)
from pages.frame import cached, charts, controls, links, measured_on, session
from pages.frame.cached import Folder
from pages.frame.language import (
    _,
    joined,
    listed,
    listed_apart,
    n_,
    number,
    percent_of_100,
    plain,
    translated,
)
from pages.frame.recipe import Recipe
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.training.knobs import setting_label
from pages.views.training.runs_table import Listed, named
from viz.charts.frames import DIFFERS, settings_table, tinted
from viz.charts.measurements import TEXTS, Axes
from viz.charts.runs import compared
from viz.component.standalone import Drawn

MOST = 8
"""So many runs are compared at once."""
QUANTITIES = ("loss", "held_out_loss", "held_out_exact_match", *BLEU_KEYS.values())


def draw(runs: Sequence[Listed]) -> Shown | None:
    """Show runs beside each other.

    Args:
        runs: Those that are ticked.
    """
    used = [each for each in runs if each.record is not None]
    if len(used) < len(runs):
        st.caption(_("Folders that cannot be used are left out."))
    pictures = _curves(used)
    _settings(used)
    _link_to_heads(used)
    if not used:
        return None
    return Shown(
        name="compared-runs",
        title=n_("{n} run beside nothing", "{n} runs beside each other", len(used)).format(
            n=len(used)
        ),
        seen=_seen(used),
        recipe=Recipe(numbers_of_runs, named(used)),
        code=[read_record],
        pictures=pictures,
        tries=view_text("training", "runs").sections["Several runs"].splitlines(),
    )


_NAMED = 4
"""So many of the settings that differ are named at first sight."""


def _seen(runs: Sequence[Listed]) -> str:
    """Say in how many settings runs differ, and how much each has right."""
    settings = {each.name: settings_of(each.record) for each in runs if each.record}
    differing = list(map(str, settings_table(settings, only_differing=True).index))
    n, named = len(differing), listed(map(_named, differing[:_NAMED]))
    text = n_("They differ in {n} setting.", "They differ in {n} settings.", n).format(n=number(n))
    if n:
        text = n_(
            "They differ in {n} setting: {named}.", "They differ in {n} settings: {named} …", n
        ).format(n=number(n), named=named)
    shares = [said for each in runs if each.record and (said := _right(each.name, each.record))]
    if not shares:
        return text
    right = _("Right in every token: {runs}.").format(runs=listed_apart(shares))
    beside = [each for each in runs if each.record and each.record.settings.beside_own_pairs]
    if not beside:
        return joined([text, right])
    counted = _(
        "{runs} was tested on generated sentences alone, and its curves on others, half of them "
        "pairs of its file: compare shapes, not heights."
    )
    named = listed(plain(each.name) for each in beside)
    return joined([text, right, counted.format(runs=named)])


def _right(name: str, record: RunRecord) -> str:
    """Say how much a run has right, and of what; empty where that was not measured."""
    results = record.results
    if results is None or results.exact_match is None:
        return ""
    return _("**{run}** {share} of {sentences}").format(
        run=plain(name),
        share=percent_of_100(100 * results.exact_match, 2),
        sentences=measured_on.of_task(record.settings.task, results.n or 0),
    )


def _named(setting: str) -> str:
    """Return what a setting is called, with what it does where its name does not say it."""
    if setting == "training.guide":
        return _("guide (training rewards a head for looking from a pronoun at its noun)")
    return plain(setting_label(setting))


def _link_to_heads(runs: Sequence[Listed]) -> None:
    """Lead to the heads of two runs of one task beside each other, where both have weights."""
    names = [each.name for each in runs if not cached.complaint(each.path)]
    tasks = {each.record.settings.task for each in runs if each.record}
    if len(names) == len(runs) == 2 and len(tasks) == 1:
        query = {"view": "maps", session.MODEL: names[0], session.OTHER: "model"}
        label = _("Compare their heads")
        links.link("", label, ":material/grid_view:", {**query, session.OTHER_MODEL: names[1]})


def _curves(runs: Sequence[Listed]) -> list[Drawn]:
    """Draw what was measured in the trainings, on the same axes."""
    rows = {
        each.name: found for each in runs if (found := cached.read(read_rows, Folder(each.path)))
    }
    measured = [name for name in QUANTITIES if any(name in row for r in rows.values() for row in r)]
    if not measured:
        st.caption(_("Nothing was measured yet."))
        return []
    with st.container(horizontal=True, vertical_alignment="bottom"):
        quantities = {"step": _("step"), "seconds": _("seconds")}
        scales = {"linear": _("linear"), "log": _("log")}
        along = controls.choice(_("Horizontal axis"), "over", quantities, "step", labelled=True)
        across = controls.choice(_("Horizontal scale"), "across", scales, "linear", labelled=True)
        losses = controls.choice(_("Loss scale"), "losses", scales, "log", labelled=True)
    if along == "seconds":
        untimed = [name for name, each in rows.items() if not any("seconds" in r for r in each)]
        if untimed:
            said = _("Seconds were not written down in the training of {runs}.")
            st.caption(plain(said.format(runs=listed(untimed))))
    axes = Axes(
        log_x=across == "log",
        log_y=losses == "log",
        over="seconds" if along == "seconds" else "step",
    )
    title = n_("Training of {n} run", "Training of {n} runs", len(rows)).format(n=len(rows))
    texts = translated(TEXTS)
    return [charts.chart(compared(rows, measured, axes=axes, title=title, texts=texts))]


def _settings(runs: Sequence[Listed]) -> None:
    """Show in which settings the runs differ."""
    settings = {each.name: settings_of(each.record) for each in runs if each.record}
    offered = {"differing": _("differing"), "all": _("all")}
    shown = controls.choice(_("Settings"), "settings", offered, "differing", labelled=True)
    every = shown == "all"
    found = settings_table(settings, only_differing=not every)
    if found.empty:
        st.caption(_("All settings are the same."))
        return
    labelled = found.rename(index=setting_label)
    st.dataframe(
        tinted(labelled) if every else labelled,
        height="auto" if every else "content",
        column_config={DIFFERS: None, "_index": st.column_config.Column(_("setting"), width=210)},
        alt=_("Settings of the runs"),
    )
