"""Under which conditions an experiment was judged, in a line below its claim."""

from collections.abc import Iterator

import streamlit as st

from core.studies.experiments.experiment import BASE
from pages.frame.language import _, joined, n_, number
from pages.views.experiments.question import Asked


def draw(asked: Asked) -> None:
    """Say how long, how often and how fast was trained, and what of the claim is judged."""
    st.caption(joined(_conditions(asked)))


def _conditions(asked: Asked) -> Iterator[str]:
    experiment, n_seeds = asked.experiment, len(asked.results.seeds)
    base = experiment.variant(BASE)
    text = n_(
        "Measured after {steps} steps, {n} seed, peak learning rate {rate}.",
        "Measured after {steps} steps, {n} seeds, peak learning rate {rate}.",
        n_seeds,
    )
    yield text.format(
        steps=number(asked.steps),
        n=number(n_seeds),
        rate=number(experiment.peak_rate(base), significant=2),
    )
    if experiment.judges:
        yield _("Judged here: {part}.").format(part=_(experiment.judges))
