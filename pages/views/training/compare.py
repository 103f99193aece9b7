"""One run, or several beside each other: results, curves and settings."""

from collections.abc import Iterator, Sequence

import streamlit as st

from core.runs.metrics import (
    BLEU_KEYS,
    RunRecord,
    numbers_of_runs,
    read_record,
    read_rows,
    settings_of,
)
from pages.frame import cached, charts, links, measured_on, session
from pages.frame.cached import Folder
from pages.frame.language import (
    _,
    ended,
    joined,
    listed,
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
from viz.charts.frames import DIFFERS, settings_table
from viz.charts.measurements import TEXTS, Axes
from viz.charts.runs import compared
from viz.component.standalone import Drawn

MOST = 8
"""Maximum number of runs that are compared."""
QUANTITIES = ("held_out_exact_match", "loss", "held_out_loss", *BLEU_KEYS.values())
_NAMED = 4
"""Number of differing settings that the sentence names."""
_FOLLOWING = ("model.vocab_size", "model.d_k", "model.d_v")
"""Settings that mostly follow from others."""


def draw(runs: Sequence[Listed]) -> Shown | None:
    """Show runs beside each other.

    Args:
        runs: Those that are ticked.
    """
    for run in runs:
        if run.problem:
            why = _("{run} cannot be used: {why}.")
            st.error(plain(why.format(run=run.name, why=run.problem)))
    used = {each.name: each.record for each in runs if each.record is not None}
    if not used:
        return None
    pictures = _curves(runs)
    _settings(used)
    alone = runs[0] if len(used) == 1 else None
    if alone and alone.record:
        st.caption(_("The command that makes the same run again"))
        st.code(alone.record.settings.command, language="bash", wrap_lines=True)
    _link_to_heads(runs)
    return Shown(
        name=alone.path.name if alone else "compared-runs",
        title=_("The run {run}").format(run=alone.name)
        if alone
        else n_("{n} run beside nothing", "{n} runs beside each other", len(used)).format(
            n=len(used)
        ),
        seen=_seen(used),
        recipe=Recipe(numbers_of_runs, named(each for each in runs if each.record)),
        code=[read_record],
        pictures=pictures,
        tries=[] if alone else view_text("training", "runs").sections["Several runs"].splitlines(),
    )


def _seen(runs: dict[str, RunRecord]) -> str:
    """Say how much each run has right, and in which settings they differ."""
    if len(runs) > 1:
        return joined([*_unlike(runs), results(runs), differing(runs)])
    [(name, record)] = runs.items()
    size = n_("{n} parameter.", "{n} parameters.", record.n_parameters).format(
        n=f"**{number(record.n_parameters)}**"
    )
    unmeasured = _("It was not measured on held-out sentences yet.")
    measured, settings = record.results, record.settings
    remarks = [*measured_on.cut(measured.n_unfinished if measured else 0)]
    if measured and measured.own_pairs:
        beside = _("On {sentences} BLEU is **{bleu}**.")
        remarks.append(
            beside.format(
                sentences=measured_on.own_pairs(settings, measured.own_pairs.n),
                bleu=number(measured.own_pairs.bleu, 1),
            )
        )
    right = results({name: record}) or unmeasured
    return joined([right, *remarks, *measured_on.counted(settings), size])


def results(runs: dict[str, RunRecord]) -> str:
    """Say how many held-out samples each run writes exactly right, the best first."""
    measured = {
        name: (measured_on.of_results(record.settings, found), found.exact_match)
        for name, record in runs.items()
        if (found := record.results) and found.exact_match is not None
    }
    order = sorted(measured.items(), key=lambda each: -each[1][1])
    same = len({sentences for sentences, _share in measured.values()}) == 1
    full, short = (
        _("**{run}** writes **{share}** of {sentences} exactly"),
        _("**{run}** **{share}**"),
    )
    parts = [
        (short if same and at else full).format(
            run=plain(name), share=percent_of_100(100 * share, 2), sentences=sentences
        )
        for at, (name, (sentences, share)) in enumerate(order)
    ]
    return ended(listed(parts)) if parts else ""


def _unlike(runs: dict[str, RunRecord]) -> Iterator[str]:
    """Say what makes a comparison of the results unfair."""
    settings = [record.settings for record in runs.values()]
    if len({each.task for each in settings}) > 1:
        yield _("They learned **different tasks**: equal figures do not mean equal skill.")
    elif len(steps := {each.training.steps for each in settings}) > 1:
        text = _("They were trained for **different numbers of steps**: compare them at step {n}.")
        yield text.format(n=number(min(steps)))


def differing(runs: dict[str, RunRecord]) -> str:
    """Say in which settings runs differ: those first that were chosen."""
    settings = {name: settings_of(record) for name, record in runs.items()}
    found = map(str, settings_table(settings, only_differing=True).index)
    names = sorted(found, key=lambda name: name in _FOLLOWING)
    n = len(names)
    if not n:
        return _("All settings are the same.")
    text = n_("They differ in {n} setting: {named}.", "They differ in {n} settings: {named}.", n)
    if n > _NAMED:
        text = _("They differ in {n} settings, among them {named}.")
    return text.format(n=number(n), named=listed(map(_named, names[:_NAMED])))


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
        query[session.OTHER_MODEL] = names[1]
        links.link("attention", _("Compare their heads"), ":material/grid_view:", query)


def _curves(runs: Sequence[Listed]) -> list[Drawn]:
    """Draw what was measured in the trainings, on the same axes."""
    rows = {
        each.name: found
        for each in runs
        if each.record and (found := cached.read(read_rows, Folder(each.path)))
    }
    measured = [name for name in QUANTITIES if any(name in row for r in rows.values() for row in r)]
    if not measured:
        st.caption(_("Nothing was measured yet."))
        return []
    title = _("Training of {runs}").format(runs=listed(rows))
    texts, axes = translated(TEXTS), Axes(log_y=True)
    picture = charts.chart(compared(rows, measured, axes=axes, title=title, texts=texts))
    beside = [each.name for each in runs if each.record and each.record.settings.beside_own_pairs]
    if beside:
        harder = _(
            "Half of the held-out sentences of these curves come from a file of pairs ({runs}): "
            "they are harder, and the loss is higher than that of the task’s sentences alone."
        )
        st.caption(plain(harder.format(runs=listed(beside))))
    return [picture]


def _settings(runs: dict[str, RunRecord]) -> None:
    """Show the settings of one run, or those in which several differ."""
    settings = {name: settings_of(record) for name, record in runs.items()}
    found = settings_table(settings, only_differing=len(runs) > 1)
    if found.empty:
        return
    st.dataframe(
        found.rename(index=setting_label),
        height="content" if len(runs) > 1 else 470,
        column_config={DIFFERS: None, "_index": st.column_config.Column(_("setting"), width=210)},
        alt=_("Settings of the runs"),
    )
