"""All runs in a table: look at one, compare several, rename, delete, give away and take in."""

from collections.abc import Sequence

import streamlit as st

from pages.frame import address, service, session
from pages.frame.language import _, n_, plain
from pages.frame.listed import labelled, listed
from pages.frame.view import View, show
from pages.views.runs import compare, manage, open_model, run, table
from pages.views.runs.table import Listed

TABLE = View(
    "runs",
    "table",
    table.draw,
)
RUN = View("runs", "run", run.draw)
COMPARE = View("runs", "compare", compare.draw)
VIEWS: tuple[View[Sequence[Listed]], ...] = (TABLE, RUN, COMPARE)
"""What is ticked chooses among them: nothing, one run, or several."""


def render() -> None:
    """Show the table, and below it what is ticked there."""
    # Above the table, whose own menu would otherwise lie under the app's.
    head = st.container(horizontal=True, vertical_alignment="center")
    runs = table.listed()
    if not runs:
        st.info(_("There is no run yet: train one on the page Training, or add one."))
    chosen = table.choose(runs) if runs else []
    view = _view_of(len(chosen))
    with head:
        manage.upload()
        # It reads what paths of the server lead to.
        if is_owner := service.current().visitor().is_owner:
            open_model.ask()
        st.caption(_hint(len(runs), len(chosen), view), width="stretch")
        service.current().show_account()
    if is_owner:
        open_model.tell()
    # One place, always there: the view below it must not move (see `view.of_sentence`).
    with st.container():
        if note := manage.take():
            st.markdown(f":small[:primary[{plain(note)}]]")
        if missing := [name for name in address.texts_of(session.RUNS) or () if name not in runs]:
            st.caption(plain(_("There is no run named {names}.").format(names=listed(missing))))
        _say_problems([each for each in runs.values() if each.problem])
        if view is RUN:
            manage.offer(chosen[0])
    if view is not None:
        shown = chosen or list(runs.values())
        show(view, shown, {"runs": ", ".join(each.name for each in shown)})
    address.write()


def _view_of(n_chosen: int) -> View[Sequence[Listed]] | None:
    """Return the view for so many ticked runs; None where they are too many."""
    if n_chosen > compare.MOST:
        return None
    return VIEWS[min(n_chosen, len(VIEWS) - 1)]


def _hint(n: int, n_chosen: int, view: View[Sequence[Listed]] | None) -> str:
    """Say what is shown, and what can be."""
    if view is None:
        said = n_(
            "{n} run is ticked; {most} at most can be compared.",
            "{n} runs are ticked; {most} at most can be compared.",
            n_chosen,
        )
        return said.format(n=n_chosen, most=compare.MOST)
    return n_("{n} run. {hint}", "{n} runs. {hint}", n).format(n=n, hint=view.text.question)


def _say_problems(damaged: list[Listed]) -> None:
    """Say which folders cannot be used, and why."""
    if damaged:
        with st.expander(_("Folders that cannot be used: {n}").format(n=len(damaged))):
            st.text("\n".join(labelled(each.name, each.problem) for each in damaged))


if __name__ == "__main__":
    from app import main

    main()
