"""What becomes of the loaded model's heads and guesses when the scaling is taken away."""

import streamlit as st

from core.model import Rescale
from core.model.attention import attend_probed
from core.studies.experiments.experiment import BASE
from core.studies.experiments.results import SHIPPED, Results
from core.studies.experiments.scale import SCALE
from core.studies.lessons.scaling import Rescaled, mean_of, without_scaling
from pages.frame import cached, snippets
from pages.frame.charts import chart
from pages.frame.files import stacked
from pages.frame.language import _, n_, number, percent
from pages.frame.listed import joined
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from pages.views.scaling import per_head
from viz.charts.curves import Quantity

WITHOUT = "none"
"""The variant of the experiment that differs in nothing but the scaling."""
FORMULA = r"""
\mathrm{evenness} = \frac{1}{|Q|} \sum_{q \in Q} \frac{-\sum_k w_{qk} \ln w_{qk}}{\ln n_q},
\qquad n_q = \text{keys that } q \text{ may see}, \quad Q = \{q : n_q > 1\}
"""


def draw(opened: Opened) -> Shown:
    """Draw how evenly every head looks around, with the scaling and without it."""
    found = cached.of_run(without_scaling, opened.path, opened.sentence)
    dots = per_head.dots(
        {_("as the model learned it"): found.scaled, _("scaling taken away"): found.unscaled},
        Quantity(_("entropy, share of the largest"), share=True),
        _("How evenly each head looks around, with and without the scaling"),
    )
    picture = chart(dots)
    st.caption(_conditions(found))
    trained = Results.load(SHIPPED / f"{SCALE.name}.json")
    begun = snippets.naming(
        opened.path,
        opened.sentence,
        "from core.studies.lessons.scaling import without_scaling",
        "from core.studies.experiments.results import Results",
    )
    return Shown(
        name="heads",
        title=_("How evenly each head looks around, with and without the scaling"),
        seen=joined([_trained_said(trained), _said(found)]),
        numbers=lambda: _numbers(found, trained),
        python=begun
        + "found = without_scaling(run, sentence)\n"
        + "numbers = [*found.unscaled.values(), *found.scaled.values()]\n"
        + "numbers += [found.unscaled_loss, found.scaled_loss, found.n_same, found.n_tokens]\n"
        + f'results = Results.found("{SCALE.name}")\n'
        + f'numbers += [results.estimate(name).mean for name in ("{WITHOUT}", "{BASE}")]\n',
        code=[without_scaling, Rescale, attend_probed, Results.estimate],
        pictures=[picture],
        formula=FORMULA,
        tries=[
            _("Which heads change least: those that were sharp already?"),
            _("Type a longer sentence, or one with words that the model never saw."),
            _("Choose another model at the top: with a smaller d_k there is less to take away."),
        ],
    )


def _trained_said(trained: Results) -> str:
    """Say what the scaling is worth while a model learns, as the experiment has it."""
    return n_(
        "Other models, in short trainings of {steps} steps: **trained without the scaling** they "
        "get **{without}** of {n} held-out sentences right, with it **{scaled}** ({seeds} training "
        "of each).",
        "Other models, in short trainings of {steps} steps: **trained without the scaling** they "
        "get **{without}** of {n} held-out sentences right, with it **{scaled}** (means of {seeds} "
        "trainings of each).",
        len(trained.seeds),
    ).format(
        without=percent(trained.estimate(WITHOUT).mean),
        scaled=percent(trained.estimate(BASE).mean),
        n=number(trained.of(BASE)[0].n),
        steps=number(SCALE.preset(SCALE.variant(BASE), 0).training.steps),
        seeds=number(len(trained.seeds)),
    )


def _said(found: Rescaled) -> str:
    """Say what taking the scaling away does to the loaded model, which learned with it."""
    before, after = mean_of(found.scaled), mean_of(found.unscaled)
    spread = _("Without it, this model’s heads spread **more**:")
    if after < before:
        spread = _("Without it, this model’s heads spread **less**:")
    kept = n_(
        "mean entropy **{before}** → **{after}** of the largest, and **{same}** of {n} token "
        "stays as it is.",
        "mean entropy **{before}** → **{after}** of the largest, and **{same}** of {n} tokens "
        "stay as they are.",
        found.n_tokens,
    ).format(
        before=percent(before),
        after=percent(after),
        n=number(found.n_tokens),
        same=number(found.n_same),
    )
    return joined([spread, kept])


def _conditions(found: Rescaled) -> str:
    """Say how it was measured, and what the loss becomes."""
    return _(
        "Each layer goes on with what comes out of those before it; the decoder is fed the same "
        "words in both passes. The loss on it goes from {loss} to {new_loss} nats per token."
    ).format(
        loss=number(found.scaled_loss, padded=False),
        new_loss=number(found.unscaled_loss, padded=False),
    )


def _numbers(found: Rescaled, trained: Results) -> Columns:
    """Return every head's evenness, the losses, how many choices stay, and the experiment's means.

    These are shares of held-out sentences that are right.
    """
    guesses: Columns = {
        "unscaled_loss": [found.unscaled_loss],
        "scaled_loss": [found.scaled_loss],
        "same_choices": [found.n_same],
        "tokens": [found.n_tokens],
        "right_trained_without": [trained.estimate(WITHOUT).mean],
        "right_trained_with": [trained.estimate(BASE).mean],
    }
    return stacked(found.table(), guesses)
