"""What a training will be like: its size, its time, where its numbers are, how fast it learns."""

from collections.abc import Iterator
from dataclasses import replace

import streamlit as st

from core.config import ModelConfig
from core.config.training import TrainConfig
from core.model import count_parameters
from core.runs.metrics import read_record
from core.training.forecast import learning_rates, parameters_of, share_of_base
from pages.frame import cached, measured_on
from pages.frame.cached import Folder
from pages.frame.language import _, duration, joined, n_, number, percent
from pages.views.training.start import PendingSettings
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity, curves

_HEIGHT = 204
"""Of each chart, in pixels."""
ALIKE = 1.5
"""Largest ratio of the parameters of two models that count as about equally large."""


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


def seen(model: ModelConfig, training: TrainConfig, task: str) -> str:
    """Return how large a model is, how long it trains, and what came of the same training."""
    size = n_(
        "A model of **{n}** parameters learns for **{steps}** step of {batch} pairs.",
        "A model of **{n}** parameters learns for **{steps}** steps of {batch} pairs.",
        training.steps,
        number(count_parameters(model)),
    ).format(
        steps=number(training.steps),
        batch=number(training.batch_size),
    )
    return joined([size, *_trained_before(model, training, task)])


def _trained_before(model: ModelConfig, training: TrainConfig, task: str) -> Iterator[str]:
    """Say what the gallery's run with the same settings took, and how good it is."""
    for path in cached.run_paths().values():
        if path.parent != cached.GALLERY:
            continue
        settings = cached.settings(path)
        # How often it was measured makes no difference.
        alike = replace(settings.training, evaluate_every=training.evaluate_every)
        if (settings.task, settings.model, alike) != (task, model, training):
            continue
        record = cached.read(read_record, Folder(path))
        found = record.results
        if found and found.exact_match is not None and record.seconds:
            text = _(
                "The model “{model}” was trained like this in **{time}** on our computer: "
                "**{share}** of {sentences} are correct."
            )
            yield text.format(
                model=path.name,
                time=duration(record.seconds),
                share=percent(found.exact_match),
                sentences=measured_on.of_results(settings, found),
            )
            return
    yield _about_as_long(model, training) or _(
        "Once a training runs, it says how much time is left."
    )


def _about_as_long(model: ModelConfig, training: TrainConfig) -> str:
    """Say how long as many steps of the gallery's models of about this size took; "" for none.

    What the sentences are makes a difference, too: so it is a range.
    """
    n_parameters, seconds = count_parameters(model), []
    for path in cached.run_paths().values():
        if path.parent != cached.GALLERY:
            continue
        settings = cached.settings(path)
        times = count_parameters(settings.model) / n_parameters
        is_alike = 1 / ALIKE <= times <= ALIKE
        took = cached.read(read_record, Folder(path)).seconds
        if is_alike and settings.training.batch_size == training.batch_size and took:
            seconds.append(took / settings.training.steps * training.steps)
    if not seconds:
        return ""
    low, high = duration(min(seconds)), duration(max(seconds))
    text = _(
        "Models of about this size took **{low}** to **{high}** for as many steps on our computer."
    )
    if low == high:
        text = _("Models of about this size took **{low}** for as many steps on our computer.")
    return text.format(low=low, high=high)


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
