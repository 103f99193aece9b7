"""What a training will be like: its size, its time, where its numbers are, how fast it learns."""

import streamlit as st

from core.config import ModelConfig, TrainConfig
from core.training.estimate import Costs
from core.training.forecast import learning_rates, parameters_of
from pages.frame.language import _, duration, number, percent
from pages.views.training.settings import exact
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity, curves

_HEIGHT = 204
"""Of each chart, in pixels."""


def sizes(model: ModelConfig, training: TrainConfig) -> str:
    """Return a line on a model and its training."""
    return _(
        "{encoder} + {decoder} layers of {heads} heads, d_model {d_model}, d_ff {d_ff}, "
        "{norm}-norm, {positions} positions · learning rate × {factor} with {warmup} steps of "
        "warm-up · dropout {dropout} · label smoothing {smoothing}"
    ).format(
        encoder=model.n_encoder_layers,
        decoder=model.n_decoder_layers,
        heads=model.n_heads,
        d_model=model.d_model,
        d_ff=model.d_ff,
        norm=model.norm,
        positions=model.positions,
        factor=exact(training.learning_rate_factor),
        warmup=number(training.warmup),
        dropout=exact(model.dropout),
        smoothing=exact(training.label_smoothing),
    )


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


def say(found: Costs | None, training: TrainConfig | None) -> None:
    """Say what a training costs; as many lines, but empty ones, where it cannot be."""
    count, time = st.columns(2)
    with count:
        st.caption(_("Parameters"))
        if found:
            share = percent(found.share_of_base)
            st.markdown(f"**{number(found.n_parameters)}**")
            st.caption(_("{share} of the paper's base model").format(share=share))
        else:
            _say_nothing()
    with time:
        estimated = _(
            "Of the steps on this machine's CPU, from how fast it multiplies matrices, and from "
            "the mean length of the task's sentences. Starting (a few seconds) and measuring "
            "held-out pairs come on top, and a busy machine takes longer."
        )
        st.caption(_("Estimated time"), help=estimated)
        if found and training:
            said = _("**at least {time}**").format(time=duration(found.seconds))
            st.markdown(said)
            amount = _("{steps} steps of {n} pairs  \nstarting and measuring on top")
            st.caption(amount.format(steps=number(training.steps), n=number(training.batch_size)))
        else:
            _say_nothing()


def _say_nothing() -> None:
    st.markdown("–")
    # As high as what stands there otherwise.
    st.caption("&nbsp;  \n&nbsp;")
