"""All runs in a table: look at one, compare several, rename, delete, give away and take in."""

from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from core.runs.metrics import read_record
from core.training.process import table_of_runs
from pages.frame import service, session
from pages.frame.language import _, labelled, listed, n_, plain
from pages.frame.recipe import Recipe
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.training import compare, manage, open_model, run, runs_table
from pages.views.training.runs_table import Listed, named


def ask() -> Sequence[Listed]:
    """Show all runs, and return those that are to be shown below: the ticked, or else all."""
    # Above the table, whose own menu would otherwise lie under the app's.
    head = st.container(horizontal=True, vertical_alignment="center")
    runs = runs_table.listed()
    if not runs:
        st.info(_("There is no run yet: train one, or add one."))
    chosen = runs_table.choose(runs) if runs else []
    with head:
        manage.upload()
        # It reads what paths of the server lead to.
        if is_owner := service.current().visitor().is_owner:
            open_model.ask()
        st.caption(_hint(len(runs), len(chosen)), width="stretch")
        service.current().show_account()
    if is_owner:
        open_model.tell()
    # One place, always there: the view below it must not move (see `view.of_sentence`).
    with st.container():
        _say(runs)
        if len(chosen) == 1:
            manage.offer(chosen[0])
    return chosen or list(runs.values())


def draw(runs: Sequence[Listed]) -> Shown | None:
    """Show what is ticked: one run, several beside each other, or an overview of all.

    Args:
        runs: What `ask` returned.
    """
    ticked = session.texts_of(session.RUNS) or ()
    n = sum(each.name in ticked for each in runs)
    if n > compare.MOST:
        return None
    if n == 1:
        return run.draw(runs)
    return compare.draw(runs) if n else _overview(runs)


def _say(runs: Mapping[str, Listed]) -> None:
    """Say what was done, which runs of a link are gone, and which folders cannot be used."""
    if note := manage.take():
        st.markdown(f":small[:primary[{plain(note)}]]")
    if missing := [name for name in session.texts_of(session.RUNS) or () if name not in runs]:
        st.caption(plain(_("There is no run named {names}.").format(names=listed(missing))))
    if damaged := [each for each in runs.values() if each.problem]:
        with st.expander(_("Folders that cannot be used: {n}").format(n=len(damaged))):
            st.text("\n".join(labelled(each.name, each.problem) for each in damaged))


def _overview(runs: Iterable[Listed]) -> Shown | None:
    """Offer what the table says."""
    used = [each for each in runs if each.record is not None]
    if not used:
        return None
    return Shown(
        name="runs",
        title=_("All runs, with their settings and results"),
        seen=_("Each run is measured on its own task: only runs of one task can be compared."),
        recipe=Recipe(table_of_runs, named(used)),
        code=[read_record],
    )


def _hint(n: int, n_chosen: int) -> str:
    """Say what is shown, and what can be."""
    if n_chosen > compare.MOST:
        said = n_(
            "{n} run is ticked; {most} at most can be compared.",
            "{n} runs are ticked; {most} at most can be compared.",
            n_chosen,
        )
        return said.format(n=n_chosen, most=compare.MOST)
    sections = view_text("training", "runs").sections
    hint = sections["None ticked"]
    if n_chosen:
        hint = sections["One ticked" if n_chosen == 1 else "Several ticked"]
    return n_("{n} run. {hint}", "{n} runs. {hint}", n).format(n=n, hint=hint)
