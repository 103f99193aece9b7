"""What a training will be like: its size, its time, where its numbers are, how fast it learns."""

import streamlit as st

from core.config import ModelConfig
from core.config.training import TrainConfig
from core.model import count_parameters
from core.training.forecast import learning_rates, parameters_of, share_of_base
from pages.frame.language import _, n_, number, percent
from pages.views.training.start import PendingSettings
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity, curves

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
    """Say how large a model is and how long it trains; as many lines where it cannot be."""
    size, length = st.columns(2)
    with size:
        st.caption(_("Parameters"))
        if wanted.preset and wanted.vocab_size is not None:
            model = wanted.preset.sized(wanted.vocab_size)
            st.markdown(f"**{number(count_parameters(model))}**")
            share = percent(share_of_base(model))
            st.caption(_("{share} of the paper's base model").format(share=share))
        else:
            _say_nothing()
    with length:
        st.caption(_("Steps"), help=_("Once a training runs, it says how much time is left."))
        if wanted.preset:
            training = wanted.preset.training
            st.markdown(f"**{number(training.steps)}**")
            st.caption(_("pairs in a batch: {n}").format(n=number(training.batch_size)))
        else:
            _say_nothing()


def _say_nothing() -> None:
    st.markdown("–")
    # As high as what stands there otherwise.
    st.caption("&nbsp;")
