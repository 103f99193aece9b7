"""What a training will be like: its size, its time, where its numbers are, how fast it learns."""

import math
from pathlib import Path

import streamlit as st

from core.config import ModelConfig
from core.config.training import TrainConfig
from core.model import count_parameters
from core.tasks import Task
from core.training.forecast import learning_rates, parameters_of, share_of_base
from core.training.presets import Preset
from pages.frame import cached, session
from pages.frame.language import _, duration, n_, number, percent
from pages.views.training.start import PendingSettings
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity, curves

EVERY = 1.0
"""Seconds between two looks at a try."""
_HEIGHT = 204
"""Of each chart, in pixels."""


def charts(model: ModelConfig, training: TrainConfig) -> tuple[Chart, Chart]:
    """Return the learning rate of every step, and which parts the parameters are in."""
    rates, parameters = learning_rates(model, training), parameters_of(model)
    learned = curves(
        {_("learning rate"): list(rates.values())},
        x=Quantity(_("step"), domain=(0, float(training.steps))),
        y=Quantity(_("learning rate")),
        at=list(rates),
        title=_("The learning rate of each step"),
    )
    found = bars(
        {_("parameters"): list(parameters.values())},
        [_(name) for name in parameters],
        value=Quantity(_("parameters")),
        title=_("Where the parameters are"),
    )
    return learned.properties(height=_HEIGHT), found.properties(height=_HEIGHT)


def seen(model: ModelConfig, training: TrainConfig) -> str:
    """Return how large a model is, how long it trains, and where most parameters are."""
    parameters = parameters_of(model)
    most = max(parameters, key=lambda name: parameters[name])
    return n_(
        "A model of **{n}** parameters, most of them ({share}) in {part}, learns for **{steps}** "
        "step of {batch} pairs.",
        "A model of **{n}** parameters, most of them ({share}) in {part}, learns for **{steps}** "
        "steps of {batch} pairs.",
        training.steps,
    ).format(
        n=number(sum(parameters.values())),
        part=_(most),
        share=percent(parameters[most] / sum(parameters.values())),
        steps=number(training.steps),
        batch=number(training.batch_size),
    )


def say(wanted: PendingSettings) -> None:
    """Say what a training costs; as many lines, but empty ones, where it cannot be."""
    count, time = st.columns(2)
    with count:
        st.caption(_("Parameters"))
        if wanted.preset and wanted.vocab_size is not None:
            model = wanted.preset.sized(wanted.vocab_size)
            st.markdown(f"**{number(count_parameters(model))}**")
            share = percent(share_of_base(model))
            st.caption(_("{share} of the paper's base model").format(share=share))
        else:
            _say_nothing()
    with time:
        tried = _(
            "A few steps of this training are done for real on this machine, as busy as it is now, "
            "and thrown away. Other programs that run at the moment make the estimate longer."
        )
        st.caption(_("Training time"), help=tried)
        if wanted.task and wanted.preset and wanted.vocab_size is not None:
            waits = cached.stopwatch().seconds(wanted.task, wanted.preset, wanted.start) is None
            every = EVERY if waits else None
            asked = (wanted.task, wanted.preset, wanted.start)
            session.fragment("time", _say_time, *asked, waits, every=every)
        else:
            _say_nothing()


def _say_time(task: Task, preset: Preset, start: Path | None, waited: bool) -> None:
    seconds = cached.stopwatch().seconds(task, preset, start)
    if waited and seconds is not None:
        # Drawn with the page, this part is no longer looked at every second.
        st.rerun()
    training = preset.training
    if seconds is None:
        st.markdown(_("**trying a few steps …**"))
    elif math.isnan(seconds):
        st.markdown(_("could not be tried"))
    else:
        st.markdown(_("**about {time}**").format(time=duration(seconds * training.steps)))
    amount = n_(
        "{steps} step of {n} pairs  \nplus start and final measurement",
        "{steps} steps of {n} pairs  \nplus start and final measurement",
        training.steps,
    )
    st.caption(amount.format(steps=number(training.steps), n=number(training.batch_size)))


def _say_nothing() -> None:
    st.markdown("–")
    # As high as what stands there otherwise.
    st.caption("&nbsp;  \n&nbsp;")
