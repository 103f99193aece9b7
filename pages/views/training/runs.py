"""All models that were trained: how good each is, with a button that opens it; and their runs."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, groupby

import streamlit as st

from core.config import ModelConfig
from core.runs.files import PAIRS
from core.runs.metrics import RunRecord, read_record
from core.tasks import TASKS
from core.training.presets import MODEL_SETTINGS
from core.training.process import table_of_runs
from pages.frame import cached, controls, links, measured_on, service, session
from pages.frame.language import _, joined, labelled, listed, n_, number, percent_of_100, plain
from pages.frame.recipe import Recipe
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.training import compare, manage, open_model, progress, runs_table
from pages.views.training.runs_table import Listed, named
from viz.charts.bars import share_bar

_ORDER = (*reversed(TASKS), PAIRS)
"""Languages first, then rows of letters."""
_COMMON = ("norm", "norm_kind")
"""Settings that no model of the list takes from the paper."""
_COLUMNS = [5, 1.4, 6, 3]
"""Relative widths: name, share, bar, buttons."""


def ask() -> Sequence[Listed]:
    """Offer to add models, and return those that are to be shown: the ticked, or else all."""
    runs = runs_table.listed()
    ticked = [name for name in session.texts_of(session.RUNS) or () if name in runs]
    session.show(session.RUNS, tuple(session.texts_of(session.RUNS) or ()) or None)
    with st.container(horizontal=True, vertical_alignment="center"):
        if ticked:
            _button(_("All models"), "all_models", ":material/arrow_back:", [])
        st.caption(_hint(len(runs), len(ticked)), width="stretch")
        manage.upload()
        # It reads what paths of the server lead to.
        if is_owner := service.current().visitor().is_owner:
            open_model.ask()
        service.current().show_account()
    if is_owner:
        open_model.tell()
    # One place, always there: the view below it must not move (see `view.of_sentence`).
    with st.container():
        _say(runs)
        if len(ticked) == 1:
            manage.offer(runs[ticked[0]])
    return _chosen(runs)


def _chosen(runs: Mapping[str, Listed]) -> Sequence[Listed]:
    """Return the runs that are ticked, or else all."""
    ticked = session.texts_of(session.RUNS) or ()
    return [run for name, run in runs.items() if name in ticked] or list(runs.values())


def draw(runs: Sequence[Listed]) -> Shown | None:
    """Show what is ticked, one run or several beside each other; else all models as a list.

    Args:
        runs: What `ask` returned.
    """
    listed_now = runs_table.listed()
    if [each.name for each in runs] != [each.name for each in _chosen(listed_now)]:
        # Ticked in the table below, which draws the view alone again.
        st.rerun()
    ticked = [each.name for each in runs if each.name in (session.texts_of(session.RUNS) or ())]
    pair = None if ticked else _telling_pair(runs)
    if pair:
        names = [each.name for each in pair]
        label = _("Compare “{one}” with “{other}”")
        label = label.format(one=plain(names[0]), other=plain(names[1]))
        _button(label, "compare_pair", ":material/compare_arrows:", names)
    if runs:
        # Above what it ticks, so that it stays where it is.
        title = _("All figures and settings: tick models to compare, rename or delete them")
        controls.fold(title, "runs", lambda: runs_table.draw(listed_now, ticked))
    if not ticked:
        return _all(runs, pair)
    return compare.draw(runs) if len(ticked) <= compare.MOST else None


def _all(runs: Sequence[Listed], pair: tuple[Listed, Listed] | None) -> Shown | None:
    """Show all models, and say what makes the difference between two of them."""
    _list(runs, _task(pair[0]) if pair else "")
    used = [each for each in runs if each.record is not None]
    if not used:
        return None
    return Shown(
        name="runs",
        title=_("All runs, with their settings and results"),
        seen=_seen(pair),
        recipe=Recipe(table_of_runs, named(used)),
        code=[read_record],
    )


def _telling_pair(runs: Sequence[Listed]) -> tuple[Listed, Listed] | None:
    """Return two models of one task, trained for as many steps, whose quality differs most.

    Those come first that differ in one setting.
    """

    def alike(run: Listed) -> tuple[str, int]:
        return _task(run), run.record.settings.training.steps if run.record else 0

    def gap(pair: tuple[Listed, Listed]) -> float:
        return abs((pair[0].exact_match or 0) - (pair[1].exact_match or 0))

    def rank(pair: tuple[Listed, Listed]) -> tuple[bool, float]:
        records = _records(pair)
        is_sure = compare.is_separated(*records.values())
        return is_sure and len(compare.differing(records)) == 1, gap(pair)

    measured = sorted((run for run in runs if run.exact_match is not None), key=_rank)
    pairs = [(a, b) for a, b in combinations(measured, 2) if alike(a) == alike(b) and gap((a, b))]
    return max(pairs, key=rank, default=None)


def _records(runs: Iterable[Listed]) -> dict[str, RunRecord]:
    return {each.name: each.record for each in runs if each.record}


def _seen(pair: tuple[Listed, Listed] | None) -> str:
    """Say what makes the difference between two models."""
    if pair is None:
        return _("Each model is measured on its own task: compare only models of one task.")
    order = _(
        "Your own models stand first, then those of each task, the best first, marked “best” where "
        "its lead is more than chance."
    )
    return joined([order, compare.compared_in_words(_records(pair))])


def _list(runs: Sequence[Listed], first: str) -> None:
    """Show the visitor's own models, then the others, by task with their quality, the best first.

    Args:
        runs: The models.
        first: The task that stands first after those of the visitor's own models.
    """
    usable = [each for each in runs if each.record]
    if not usable:
        st.info(_("There is no run yet: train one, or add one."))
    best = _best(usable)
    own = {_task(each) for each in usable if each.own}
    ordered = sorted(
        usable,
        key=lambda each: (not each.own, _task(each) not in own, _task(each) != first, *_rank(each)),
    )
    above = ""
    for place, run in enumerate(ordered):
        if (heading := _heading(run)) != above:
            st.markdown(f":small[{heading}]")
        above = heading
        _show(run, f"details_{place}", is_best=run.name in best)


def _heading(run: Listed) -> str:
    """Return what a model does, and what its bar is a share of."""
    if run.record is None:
        return ""
    settings, found = run.record.settings, run.record.results
    learned = measured_on.TASK_LABELS.get(settings.task, settings.task)
    label = settings.family or _(learned)
    if found is None or found.exact_match is None:
        return f"**{plain(label)}**"
    text = _("**{task}**: correct, of {sentences}")
    sentences = measured_on.of_results(settings, found)
    return text.format(task=plain(label), sentences=sentences)


def _task(run: Listed) -> str:
    return run.record.settings.task if run.record else ""


def _rank(run: Listed) -> tuple[int, float]:
    """Return what models are sorted by: the task, then the quality."""
    task = _task(run)
    share = run.exact_match
    return _ORDER.index(task) if task in _ORDER else len(_ORDER), -1 if share is None else -share


def _best(runs: Sequence[Listed]) -> set[str]:
    """Return the model of each task that is right most often, if not by chance."""
    measured = sorted((each for each in runs if each.exact_match is not None), key=_rank)
    by_task = [list(several) for _task_of, several in groupby(measured, _task)]
    return {
        several[0].name
        for several in by_task
        if len(several) > 1 and compare.is_separated(*_records(several[:2]).values())
    }


def _show(run: Listed, key: str, *, is_best: bool) -> None:
    """Show one model in a row, with a link that opens it."""
    name, share, bar, buttons = st.columns(_COLUMNS, gap="small", vertical_alignment="center")
    with name:
        text = _("**{model}** :green-badge[best]") if is_best else _("**{model}**")
        lines = [text.format(model=plain(run.name))]
        lines += [f":small[:gray[{plain(each)}]]" for each in (_kind(run), _note(run)) if each]
        st.markdown("  \n".join(lines))
    if run.exact_match is None:
        share.caption(_("not measured"))
    else:
        share.markdown(percent_of_100(100 * run.exact_match, 2))
        bar.html(share_bar(run.exact_match))
    with buttons, st.container(horizontal=True, vertical_alignment="center"):
        if cached.complaint(run.path):
            watch = {"training": "watch", session.MODEL: run.name}
            links.link("training", _("Watch"), ":material/model_training:", watch)
        else:
            links.link("", _("Open"), ":material/account_tree:", {session.MODEL: run.name})
        _button(_("Details"), key, ":material/monitoring:", [run.name])


def _kind(run: Listed) -> str:
    """Return in which choices a model differs from the paper's, and how long it was trained."""
    if run.record is None or run.record.settings.is_opened:
        return ""
    settings = run.record.settings
    model, training = settings.model, settings.training
    usual = ModelConfig(vocab_size=model.vocab_size)
    parts = [
        compare.named_value(name, value)
        for name in MODEL_SETTINGS
        if isinstance(value := getattr(model, name), bool | str)
        and name not in _COMMON
        and value != getattr(usual, name)
    ]
    heads = n_("{n} head", "{n} heads", model.n_heads)
    steps = n_("{n} step", "{n} steps", training.steps)
    guide = [_("guided head")] if training.guide else []
    return " · ".join([heads, steps, *guide, *parts])


def _note(run: Listed) -> str:
    """Return how far a training is that has not ended, or what was measured beside."""
    if run.record is None or run.situation is None:
        return ""
    if (state := run.situation.state) not in ("finished", "opened"):
        return _(progress.STATES[state])
    found = run.record.results.own_pairs if run.record.results else None
    if found is None:
        return ""
    sentences = measured_on.own_pairs(run.record.settings, found.n)
    return _("On {sentences}: BLEU {bleu}.").format(sentences=sentences, bleu=number(found.bleu, 1))


def _button(label: str, key: str, icon: str, names: Sequence[str]) -> None:
    """Offer to show runs below."""
    values = {session.RUNS: list(names) or None}
    st.button(label, key, icon=icon, type="tertiary", on_click=session.choose_above, args=(values,))


def _say(runs: Mapping[str, Listed]) -> None:
    """Say what was done, which runs of a link are gone, and which folders cannot be used."""
    if note := manage.take():
        st.markdown(f":small[:primary[{plain(note)}]]")
    if missing := [name for name in session.texts_of(session.RUNS) or () if name not in runs]:
        st.caption(plain(_("There is no run named {names}.").format(names=listed(missing))))
    if damaged := [each for each in runs.values() if each.problem]:
        with st.expander(_("Folders that cannot be used: {n}").format(n=len(damaged))):
            st.text("\n".join(labelled(each.name, each.problem) for each in damaged))


def _hint(n: int, n_ticked: int) -> str:
    """Say how many models there are, and what can be done with them."""
    if n_ticked > compare.MOST:
        return n_(
            "{n} model is ticked; {most} at most can be compared.",
            "{n} models are ticked; {most} at most can be compared.",
            n_ticked,
        ).format(most=compare.MOST)
    sections = view_text("training", "runs").sections
    hint = sections["None ticked"]
    if n_ticked:
        hint = sections["One ticked" if n_ticked == 1 else "Several ticked"]
    return n_("{n} model. {hint}", "{n} models. {hint}", n).format(hint=hint)
