"""All runs in a table: look at one, compare several, rename, delete, give away and take in."""

import streamlit as st

from pages.frame import address, session
from pages.frame.text import _, plain
from pages.views.runs import archives, compare, manage, remarks, table


def render() -> None:
    """Show the table, and below it what is ticked there."""
    # Above the table, whose own menu would otherwise lie under the app's.
    head = st.container(horizontal=True, vertical_alignment="center")
    runs = table.listed()
    if not runs:
        st.info(_("There is no run yet: train one on the page Training, or add one."))
    chosen = table.choose(runs) if runs else []
    with head:
        archives.upload()
        st.caption(_hint(len(runs), len(chosen)), width="stretch")
    if note := remarks.take():
        st.markdown(f":small[:primary[{plain(note)}]]")
    if missing := [name for name in address.texts_of(session.RUNS) or () if name not in runs]:
        st.caption(plain(_("There is no run named {names}.").format(names=", ".join(missing))))
    _problems([run for run in runs.values() if run.problem])
    if len(chosen) == 1:
        manage.one(chosen[0])
    elif 1 < len(chosen) <= compare.MOST:
        compare.several(chosen)
    address.write()


def _hint(n: int, n_chosen: int) -> str:
    if n_chosen > compare.MOST:
        return _("{n} runs are ticked; {most} at most can be compared.").format(
            n=n_chosen, most=compare.MOST
        )
    if n_chosen > 1:
        return _("{n} runs are compared below.").format(n=n_chosen)
    if n_chosen == 1:
        return _("One of {n} runs is shown below. Tick more to compare them.").format(n=n)
    return _(
        "{n} runs. Tick one to see all of it, several to compare them (on the keyboard with "
        "Shift+Space)."
    ).format(n=n)


def _problems(damaged: list[table.Listed]) -> None:
    """Say which folders cannot be used, and why."""
    if damaged:
        with st.expander(_("Folders that cannot be used: {n}").format(n=len(damaged))):
            st.text("\n".join(f"{run.name}: {run.problem}" for run in damaged))


if __name__ == "__main__":
    from app import main

    main()
