"""Why the scores of attention are divided by √d_k."""

import math

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.lessons import scaling
from core.analysis.lessons.rescaled import mean_of, score_spread, without_scaling
from core.analysis.lessons.scores import ScoresError, read_scores
from pages.frame import cached, lesson, opening
from pages.frame.lesson import View
from pages.frame.opening import Opened
from pages.frame.text import _, percent, plain
from pages.views.scaling import controls
from pages.views.scaling import heads as own_heads
from pages.views.scaling import pictures as pictures
from pages.views.scaling import scaling as below


def render() -> None:
    """Ask for model, sentence and view, and show it."""
    if (opened := opening.model_and_sentence()) is not None:
        lesson.show(VIEWS, opened, "scaling")


def _softmax(opened: Opened) -> None:
    left, right = st.columns([5, 4], gap="medium")
    with right:
        size = controls.size()
        found = scaling.response(np.array([1.0, 1.0, 2.0]), size)
        st.markdown(pictures.exact_outputs(found, scaling.stretched_slopes(size)))
    sizes = scaling.sizes_around(size)
    outputs = scaling.stretched_softmax(sizes)
    with left:
        pictures.stretched(sizes, outputs, size)
    columns = {"a": sizes, "y0": outputs[:, 0], "y1": outputs[:, 1], "y2": outputs[:, 2]}
    lesson.numbers("softmax", {name: of.tolist() for name, of in columns.items()})
    lesson.explained(below.SOFTMAX)


def _variance(opened: Opened) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        components, n = controls.components(), controls.samples()
        seed = controls.sample_seed()
    found = scaling.product_variances(components, n, seed)
    spread = cached.of_run(score_spread, opened.path, opened.inspection.translation)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        pictures.variances(found, opened.run.settings.model.d_k)
        lesson.numbers("variance", pictures.sampled_columns(found))
    with right:
        own_heads.variances(spread)
        lesson.numbers("variance_heads", own_heads.columns(spread.unscaled, spread.scaled))
    st.caption(
        _(
            "Left: n = {n} pairs at each d_k, new ones at each, seed {seed}. Right: the variance "
            "of each head of this model over all pairs of a query and a key that it may see in "
            "this sentence and its translation."
        ).format(n=n, seed=seed)
    )
    lesson.explained(below.VARIANCE)


def _jacobian(opened: Opened) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = controls.scores()
        factor = controls.factor(math.sqrt(opened.run.settings.model.d_k))
    try:
        _answer(read_scores(typed), factor)
    except ScoresError as error:
        st.error(plain(str(error)))
    lesson.explained(below.JACOBIAN)


def _answer(scores: NDArray[np.float64], factor: float) -> None:
    """Show how the softmax answers when scores move."""
    found = scaling.response(scores, factor)
    st.markdown(pictures.size_of_jacobian(found))
    left, right = st.columns(2, gap="large")
    with left:
        pictures.jacobian_map(found)
    with right:
        pictures.outputs(found, factor)
        columns = {"x": scores, "factor · x": found.scores_K, "y": found.outputs_K}
        lesson.numbers("jacobian_outputs", {name: of.tolist() for name, of in columns.items()})


def _gradient(opened: Opened) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_keys, n = controls.n_keys(), controls.n_queries()
        average, seed = controls.average(), controls.sample_seed()
    found = scaling.sampled_gradients(n_keys, n, seed, average)
    pictures.gradients(found, opened.run.settings.model.d_k, average)
    st.caption(
        _(
            "{average} over n = {n} queries at each d_k, each with {keys} keys of its own; all "
            "components normal with mean 0 and variance 1; seed {seed}."
        ).format(average=average.capitalize(), n=n, keys=n_keys, seed=seed)
    )
    lesson.numbers("gradient", pictures.sampled_columns(found))
    lesson.explained(below.GRADIENT)


def _heads(opened: Opened) -> None:
    found = cached.of_run(without_scaling, opened.path, opened.inspection.translation)
    own_heads.evenness(found)
    st.markdown(
        _(
            "Mean entropy of all heads: **{before}** → **{after}** of the largest possible. Each "
            "layer goes on with what comes out of those before it; the decoder is fed the same "
            "translation in both passes. At **{same}** of its {n} tokens the most "
            "probable choice stays the same; the loss on it goes from **{loss:.3g}** to "
            "**{new_loss:.3g}** nats per token."
        ).format(
            before=percent(mean_of(found.scaled)),
            after=percent(mean_of(found.unscaled)),
            n=found.n_tokens,
            same=found.n_same,
            loss=found.scaled_loss,
            new_loss=found.unscaled_loss,
        )
    )
    lesson.numbers("heads", own_heads.columns(found.unscaled, found.scaled))
    lesson.explained(below.HEADS)


VIEWS = (
    View(
        _("softmax"),
        _(
            "The softmax sees differences: let the scores [a, a, 2a] grow, and one output takes "
            "everything, though their ratio stays."
        ),
        _softmax,
    ),
    View(
        _("variance"),
        _(
            "Independent components of variance 1 give q·k the variance $d_k$; divided by "
            "$\\sqrt{d_k}$, it is 1 at every width."
        ),
        _variance,
    ),
    View(
        _("jacobian"),
        _(
            "How much does each output y of the softmax move when a score x moves? For a one-hot "
            "y it is 0: **the gradient vanishes**."
        ),
        _jacobian,
    ),
    View(
        _("gradient"),
        _(
            "The gradient for q and k comes through the softmax. With wide vectors little does; "
            "divided by $\\sqrt{d_k}$, the width hardly matters."
        ),
        _gradient,
    ),
    View(
        _("heads"),
        _(
            "This model learned with the scaling. Here every layer does without: all scores are "
            "multiplied by $\\sqrt{d_k}$."
        ),
        _heads,
    ),
)


if __name__ == "__main__":
    from app import main

    main()
