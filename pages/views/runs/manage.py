"""One run: what is known of it, where it can be looked at, and what can be done with it."""

import streamlit as st

from core.runs.management import delete_run, rename_run
from core.runs.records import RunRecord, read_rows
from core.runs.run import RunError, is_run
from pages.frame import address, cached, charts, links, session
from pages.frame.text import _, plain
from pages.views.runs import archives, remarks
from pages.views.runs.table import STATES, Listed, results_columns, results_row, said, without_empty
from viz.charts.frames import DIFFERS, runs_table, settings_table
from viz.charts.measurements import Axes
from viz.charts.training import loss_curves


def one(run: Listed) -> None:
    """Show a run, and offer what can be done with it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(run.name)}**", width="content")
        st.caption(_state(run), width="stretch")
        _links(run)
        archives.download(run)
        _changes(run)
    if note := archives.too_large(run.path):
        st.caption(note)
    if run.problem:
        st.error(plain(_("It cannot be used: {why}.").format(why=run.problem)))
    if run.record is not None:
        _known(run, run.record)


def _state(run: Listed) -> str:
    if run.situation is None:
        return _("damaged")
    found = _("{state}, {step} of {steps} steps").format(
        state=STATES[run.situation.state], step=run.situation.step, steps=run.situation.steps
    )
    return found + (f": {plain(run.situation.message)}" if run.situation.message else "")


def _links(run: Listed) -> None:
    """Lead to where the run's heads and its training can be looked at."""
    if not cached.complaint(run.path):
        links.link("", _("Heads"), ":material/grid_view:", {session.MODEL: run.name})
    if run.situation is not None:
        over = run.situation.state == "finished"
        name, view = (_("Look back"), "look back") if over else (_("Watch"), "watch")
        opened = {"training": view, session.MODEL: run.name}
        links.link("training", name, ":material/model_training:", opened)


def _changes(run: Listed) -> None:
    """Offer to rename and to delete a run, where it is the visitor's."""
    if not run.own:
        st.caption(_("Runs of the gallery come with the app and stay."), width="content")
        return
    if not is_run(run.path):
        st.caption(_("It has no run.json: whatever it is, it is left alone."), width="content")
        return
    busy = run.situation is not None and run.situation.alive
    reason = _("It is being trained: pause or stop it first.") if busy else None
    if st.button(_("Rename"), type="tertiary", icon=":material/edit:", disabled=busy, help=reason):
        _ask_name(run)
    # A box of its own would leave the keyboard nowhere when it is closed.
    with st.popover(
        _("Delete"), type="tertiary", icon=":material/delete:", disabled=busy, help=reason
    ):
        _ask_deletion(run)


@st.dialog(_("Rename this run"))
def _ask_name(run: Listed) -> None:
    key = f"name {run.name}"
    st.text_input(_("New name of {run}").format(run=plain(run.name)), run.path.name, key=key)
    if st.button(_("Rename it"), type="primary", on_click=_rename, args=(run, key)):
        _close()


def _ask_deletion(run: Listed) -> None:
    name = plain(run.name)
    st.markdown(
        _("**{run}**, its weights, its curves and its figures are then gone for good.").format(
            run=name
        )
    )
    st.button(_("Delete {run}").format(run=name), type="primary", on_click=_delete, args=(run,))


def _rename(run: Listed, key: str) -> None:
    name = session.chosen(key)
    if name == run.path.name:
        return
    try:
        path = rename_run(run.path, name)
    except (RunError, OSError) as error:
        remarks.leave(_("It keeps its name: {why}.").format(why=said(error, run.path)))
    else:
        address.choose({session.RUNS: [f"runs/{path.name}"]})


def _delete(run: Listed) -> None:
    try:
        delete_run(run.path)
    except (RunError, OSError) as error:
        remarks.leave(_("It was not deleted: {why}.").format(why=said(error, run.path)))
    else:
        address.choose({session.RUNS: None})
        remarks.leave(_("{run} was deleted.").format(run=run.name))


def _close() -> None:
    """Close the dialog, unless there is something to say about what was asked for."""
    if note := remarks.take():
        st.error(plain(note))
    else:
        st.rerun()


def _known(run: Listed, record: RunRecord) -> None:
    """Show a run's results, curves, command and settings."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if figures := without_empty([results_row(record.results)])[0]:
            st.dataframe(
                runs_table([figures]),
                hide_index=True,
                column_config=results_columns(),
                alt=_("Results on held-out samples"),
            )
        if rows := cached.of_files(read_rows, run.path):
            title = _("Training of {run}").format(run=run.name)
            charts.chart(loss_curves(rows, axes=Axes(log_y=True), height=290, title=title))
        else:
            st.caption(_("Nothing was measured yet."))
        st.caption(_("The command that makes the same run again"))
        st.code(record.settings.command, language="bash", wrap_lines=True)
    with right:
        st.dataframe(
            settings_table({run.name: settings_of(record)}),
            height=470,
            column_config={DIFFERS: None, "_index": st.column_config.Column(width=210)},
            alt=_("Settings"),
        )


def settings_of(record: RunRecord) -> dict[str, object]:
    """Return what distinguishes a run from others: all but its command, which repeats it."""
    found = record.settings.to_dict()
    return {name: value for name, value in found.items() if name not in ("format", "command")}
