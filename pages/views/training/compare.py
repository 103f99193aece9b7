"""One run, or several beside each other: results, curves and settings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import streamlit as st

from core.evaluate.intervals import wilson
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
    joined,
    labelled,
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
from pages.views.training.knobs import KNOBS, setting_label
from pages.views.training.runs_table import Listed, named
from viz.charts.measurements import TEXTS
from viz.charts.runs import compared
from viz.component.standalone import Drawn

MOST = 8
"""Maximum number of runs that are compared."""
QUANTITIES = ("held_out_exact_match", "loss", "held_out_loss", *BLEU_KEYS.values())
_NAMED = 4
"""Number of differing settings that the sentence names."""
_FOLLOWING = ("model.d_k", "model.d_v")
"""Settings that mostly follow from others."""
Flat = Mapping[str, object]
"""A run's settings by their names, as model.d_model."""


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
        else n_("{n} run beside nothing", "{n} runs beside each other", len(used)),
        seen=_seen(used),
        recipe=Recipe(numbers_of_runs, named(each for each in runs if each.record)),
        code=[read_record],
        pictures=pictures,
        tries=[] if alone else view_text("training", "runs").sections["Several runs"].splitlines(),
    )


def _seen(runs: dict[str, RunRecord]) -> str:
    """Say how much each run has right, and in which settings they differ."""
    if len(runs) > 1:
        return compared_in_words(runs)
    [(name, record)] = runs.items()
    n = record.n_parameters
    size = n_("{n} parameter.", "{n} parameters.", n, f"**{number(n)}**")
    unmeasured = _("It was not measured on held-out sentences yet.")
    right = _results({name: record}) or unmeasured
    return joined([right, *remarks(record), size])


def remarks(record: RunRecord) -> Iterator[str]:
    """Say what belongs to the share of correct sentences of one run."""
    if found := record.results:
        yield from measured_on.cut(found.n_unfinished)
        if own := found.own_pairs:
            text = _("On {sentences} BLEU is **{bleu}**.")
            sentences = measured_on.own_pairs(record.settings, own.n)
            yield text.format(sentences=sentences, bleu=number(own.bleu, 1))
    yield from measured_on.counted(record.settings)


def compared_in_words(runs: Mapping[str, RunRecord]) -> str:
    """Say how much each of several runs has right, and in which settings they differ."""
    names, unlike, found = differing(runs), [*_unlike(runs)], _measured(runs)
    same = len({sentences for sentences, _share in found.values()}) == 1
    if len(names) == 1 and len(found) == len(runs) == 2 and same and not unlike:
        return _of_one_setting(runs, names[0])
    return joined([*unlike, _results(runs), _differing_in_words(names)])


def _of_one_setting(runs: Mapping[str, RunRecord], name: str) -> str:
    """Say what a setting does, in which alone two measured runs differ."""
    (best, (sentences, share)), (worse, (_same, rest)) = _measured(runs).items()
    text = _(
        "“{best}” and “{worse}” differ in **{setting}** alone, which makes no measurable "
        "difference: with “{one}” **{share}** of {sentences} are correct, with “{other}” "
        "**{rest}**."
    )
    if is_separated(runs[best], runs[worse]):
        text = _(
            "“{best}” and “{worse}” differ in **{setting}** alone: with “{one}” **{share}** of "
            "{sentences} are correct, with “{other}” **{rest}**."
        )
    return text.format(
        best=plain(best),
        worse=plain(worse),
        setting=_named(name),
        one=plain(_in_words(name, settings_by_name(runs[best])[name])),
        share=percent_of_100(100 * share, 2),
        sentences=sentences,
        other=plain(_in_words(name, settings_by_name(runs[worse])[name])),
        rest=percent_of_100(100 * rest, 2),
    )


def is_separated(one: RunRecord, other: RunRecord) -> bool:
    """Return whether the 95 % intervals of what two runs have right have nothing in common."""
    (low, high), (other_low, other_high) = map(_interval, (one, other))
    return low > other_high or other_low > high


def _interval(record: RunRecord) -> tuple[float, float]:
    found = record.results
    if found is None or found.exact_match is None or not found.n:
        return 0.0, 1.0
    return wilson(round(found.exact_match * found.n), found.n)


def _measured(runs: Mapping[str, RunRecord]) -> dict[str, tuple[str, float]]:
    """Return the held-out samples of each measured run and the share of them, the best first."""
    measured = {
        name: (measured_on.of_results(record.settings, found), found.exact_match)
        for name, record in runs.items()
        if (found := record.results) and found.exact_match is not None
    }
    return dict(sorted(measured.items(), key=lambda each: -each[1][1]))


def _results(runs: Mapping[str, RunRecord]) -> str:
    """Say how many held-out samples each run writes exactly right, the best first."""
    measured = _measured(runs)
    same = len({sentences for sentences, _share in measured.values()}) == 1
    full, short = (
        _("“{run}” writes **{share}** of {sentences} correctly"),
        _("“{run}” **{share}**"),
    )
    parts = [
        (short if same and at else full).format(
            run=plain(name), share=percent_of_100(100 * share, 2), sentences=sentences
        )
        for at, (name, (sentences, share)) in enumerate(measured.items())
    ]
    return _("{text}.").format(text=listed(parts)) if parts else ""


def _unlike(runs: Mapping[str, RunRecord]) -> Iterator[str]:
    """Say what makes a comparison of the results unfair."""
    settings = [record.settings for record in runs.values()]
    if len({each.task for each in settings}) > 1:
        yield _("They learned **different tasks**: equal figures do not mean equal skill.")
    elif len(steps := {each.training.steps for each in settings}) > 1:
        text = _("They were trained for **different numbers of steps**: compare them at step {n}.")
        yield text.format(n=number(min(steps)))


def settings_by_name(record: RunRecord) -> Flat:
    """Return all settings of a run by their names, those too that have the usual value."""
    stored, settings = settings_of(record), record.settings
    parts = {"model": settings.model.known(), "training": asdict(settings.training)}
    whole = {f"{part}.{name}": each for part in parts for name, each in parts[part].items()}
    versions = {f"versions.{name}": value for name, value in settings.versions.items()}
    rest = {name: stored[name] for name in stored if name not in (*parts, "versions")}
    return rest | whole | versions


def differing(runs: Mapping[str, RunRecord]) -> list[str]:
    """Return the settings in which runs differ, without those that follow from others."""
    settings = [settings_by_name(record) for record in runs.values()]
    names = dict.fromkeys(name for each in settings for name in each)
    found = [
        name for name in names if any(each.get(name) != settings[0].get(name) for each in settings)
    ]
    sizes = [record.settings.model.vocab_size for record in runs.values()]
    # A parallel decoder has a token more, the mask.
    following = (*_FOLLOWING, *(["model.vocab_size"] if max(sizes) - min(sizes) <= 1 else []))
    return [name for name in found if name not in following] or found


def _differing_in_words(names: Sequence[str]) -> str:
    """Say in which settings runs differ."""
    n = len(names)
    if not n:
        return _("All settings are the same.")
    text = n_("They differ in {n} setting: {named}.", "They differ in {n} settings: {named}.", n)
    if n > _NAMED:
        text = _("They differ in {n} settings, among them {named}.")
    return text.format(n=number(n), named=listed(map(_named, names[:_NAMED])))


def _in_words(setting: str, value: object) -> str:
    """Return what people call a setting's value."""
    knob = KNOBS.get(setting.rpartition(".")[2])
    match value:
        case None | "":
            return _("none")
        case bool():
            return _("on") if value else _("off")
        case str() if knob:
            return knob.word(value)
    return str(value)


def named_value(setting: str, value: object) -> str:
    """Return a setting with its value in a few words."""
    return labelled(setting_label(setting), _in_words(setting, value))


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
    title = _("Training of {runs}").format(runs=listed(f"“{name}”" for name in rows))
    texts = translated(TEXTS)
    picture = charts.chart(compared(rows, measured, title=title, texts=texts))
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
    settings = {name: settings_by_name(record) for name, record in runs.items()}
    names = differing(runs) if len(runs) > 1 else [*next(iter(settings.values()))]
    if not names:
        return
    labels = {"": list(map(setting_label, names))}
    st.dataframe(
        # No run has an empty name.
        labels
        | {run: [_in_words(each, of.get(each)) for each in names] for run, of in settings.items()},
        height="content" if len(runs) > 1 else 470,
        hide_index=True,
        column_config={"": st.column_config.Column(_("setting"), width=210, pinned=True)},
        alt=_("Settings of the runs"),
    )
