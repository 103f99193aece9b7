"""What a training will be like: its size, its time, where its numbers are, how fast it learns."""

import numpy as np
import streamlit as st

from core.config import ModelConfig, TrainConfig
from core.model.description import describe
from core.training.estimate import Costs
from core.training.schedule import learning_rate
from pages.frame.charts import chart
from pages.frame.text import _, duration, percent
from viz.charts.bars import bars
from viz.charts.curves import Quantity, curves

_HEIGHT = 204
"""Of each chart, in pixels."""
_POINTS = 200
_ESTIMATED = _(
    "Of the steps on this machine's CPU, from how fast it multiplies matrices, and from the mean "
    "length of the task's sentences. Starting (a few seconds) and measuring held-out pairs come on "
    "top, and a busy machine takes longer."
)


def sizes(model: ModelConfig, training: TrainConfig) -> str:
    """Return a line on a model and its training."""
    return _(
        "{encoder} + {decoder} layers of {heads} heads, d_model {d_model}, d_ff {d_ff}, "
        "{norm}-norm, {positions} positions · learning rate × {factor:g} with {warmup:,} steps of "
        "warm-up · dropout {dropout:g} · label smoothing {smoothing:g}"
    ).format(
        encoder=model.n_encoder_layers,
        decoder=model.n_decoder_layers,
        heads=model.n_heads,
        d_model=model.d_model,
        d_ff=model.d_ff,
        norm=model.norm,
        positions=model.positions,
        factor=training.learning_rate_factor,
        warmup=training.warmup,
        dropout=model.dropout,
        smoothing=training.label_smoothing,
    )


def drawn(model: ModelConfig, training: TrainConfig) -> None:
    """Draw the learning rate of every step, and which parts the parameters are in."""
    left, right = st.columns(2, gap="large")
    with left:
        _rates(model, training)
    with right:
        _parts(model)


def _rates(model: ModelConfig, training: TrainConfig) -> None:
    spread = np.linspace(1, training.steps, min(_POINTS, training.steps))
    # The peak itself is never left out.
    peak = [training.warmup] if training.warmup <= training.steps else []
    steps = sorted({*spread.round().astype(int).tolist(), *peak})
    rates = [learning_rate(step, model.d_model, training) for step in steps]
    drawn = curves(
        {_("learning rate"): rates},
        x=Quantity(_("step"), domain=(0, float(training.steps))),
        y=Quantity(_("learning rate")),
        at=steps,
        title=_("The learning rate of each step"),
    )
    chart(drawn.properties(height=_HEIGHT))


def _parts(model: ModelConfig) -> None:
    # Parameters do not depend on the lengths.
    found = describe(model, 1, 1).by_group()
    drawn = bars(
        {_("parameters"): list(found.values())},
        [_(name) for name in found],
        value=Quantity(_("parameters")),
        title=_("Where the parameters are"),
    )
    chart(drawn.properties(height=_HEIGHT))


def cost(found: Costs | None, training: TrainConfig | None) -> None:
    """Say what a training costs; as many lines, but empty ones, where it cannot be."""
    count, time = st.columns(2)
    with count:
        st.caption(_("Parameters"))
        if found:
            share = percent(found.share_of_base)
            st.markdown(f"**{found.n_parameters:,}**")
            st.caption(_("{share} of the paper's base model").format(share=share))
        else:
            _empty()
    with time:
        st.caption(_("Estimated time"), help=_ESTIMATED)
        if found and training:
            said = _("**at least {time}**").format(time=duration(found.seconds))
            st.markdown(said)
            amount = _("{steps:,} steps of {n:,} pairs  \nstarting and measuring on top")
            st.caption(amount.format(steps=training.steps, n=training.batch_size))
        else:
            _empty()


def _empty() -> None:
    st.markdown("–")
    # As high as what stands there otherwise.
    st.caption("&nbsp;  \n&nbsp;")
