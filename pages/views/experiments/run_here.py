"""Run an experiment again here, and open its variants."""

from pathlib import Path

import streamlit as st

from core.studies.experiments import running
from core.studies.experiments.experiment import BASE, Experiment, Variant
from core.studies.experiments.running import keep_run, run_of
from pages.frame import cached, controls, refusals, service, session
from pages.frame.language import _, n_, number, plain
from pages.frame.messages import explained
from pages.views.experiments.question import own_folder

SEEDS = "experiment_seeds"
START, STOP = "experiment_start", "experiment_stop"
EVERY = 2.0
"""Seconds."""


def offer(experiment: Experiment) -> None:
    """Offer to train the variants here; show how far it is where that is under way."""
    if not service.current().visitor().is_owner:
        st.caption(_("In a class, experiments are run by the teacher."))
        return
    folder = own_folder(experiment)
    if running.RUNNING.at_work(folder):
        session.fragment("experiment", EVERY)(_progress)(experiment, folder)
        return
    if reason := refusals.reason(experiment.name):
        st.error(plain(reason))
    elif status := _ended(folder):
        st.warning(plain(status))
    with st.container(horizontal=True, vertical_alignment="center"):
        seeds = {1: _("1 seed"), 3: _("3 seeds"), 5: _("5 seeds")}
        n = controls.choice(_("How many trainings of each variant"), SEEDS, seeds, 1)
        st.button(
            _("Run it here"),
            key=START,
            icon=":material/play_arrow:",
            on_click=refusals.attempt,
            args=(experiment.name, running.start, experiment, folder, n),
            help=_(
                "Trains every variant in the background. What is trained already is not trained "
                "again, and a stopped experiment goes on where it was."
            ),
        )
        st.caption(_before(experiment, n), width="content")
    _keep(experiment, folder)


def _before(experiment: Experiment, n_seeds: int) -> str:
    """Say how much work it is."""
    n = n_seeds * len(experiment.variants)
    steps = experiment.preset(experiment.variant(BASE), 0).training.steps
    return n_(
        "{n} training of {steps} steps on the task “{task}”",
        "{n} trainings of {steps} steps on the task “{task}”",
        n,
    ).format(steps=number(steps), task=experiment.task)


def _keep(experiment: Experiment, folder: Path) -> None:
    """Offer to put variants that were trained here among the runs."""
    found = [each for each in experiment.variants if run_of(folder, each).is_dir()]
    runs = cached.run_paths()
    new = [each for each in found if cached.name_of(_kept(experiment, each)) not in runs]
    if not new:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_("Put among the runs, to look at it in every view:"), width="content")
        for variant in new:
            st.button(
                _(variant.label),
                key=f"keep_{variant.name}",
                type="tertiary",
                on_click=refusals.attempt,
                args=(experiment.name, keep_run, folder, experiment, variant, cached.own()),
            )


def _kept(experiment: Experiment, variant: Variant) -> Path:
    """Return where a variant is put among the runs."""
    return cached.own() / f"{experiment.name}-{variant.name}"


def _progress(experiment: Experiment, folder: Path) -> None:
    found = running.RUNNING.status(folder)
    if not found.alive:
        # What came of it changes the whole page.
        st.rerun()
    share = found.done / found.of if found.of else 0.0
    status = n_(
        "{done} of {of} training done …",
        "{done} of {of} trainings done …",
        found.of // running.PARTS,
    )
    status = status.format(
        done=number(found.done // running.PARTS), of=number(found.of // running.PARTS)
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(share, status if found.of else _("Starting …"))
        st.button(
            _("Stop"),
            key=STOP,
            on_click=refusals.attempt,
            args=(experiment.name, running.RUNNING.ask, folder, "stop"),
            help=_("It goes on where it was when it is run again."),
        )


def _ended(folder: Path) -> str:
    """Say how it ended without a result, or nothing."""
    found = running.RUNNING.status(folder)
    match found.state:
        case "failed":
            return _("The experiment failed: {reason}").format(reason=explained(found.message))
        case "interrupted":
            return _("The experiment was interrupted. Run it again: it goes on where it was.")
        case _:
            return ""
