"""What becomes of the loaded model's heads and guesses when the scaling is taken away."""

import streamlit as st

from core.analysis.lessons.rescaled import Rescaled, mean_of, without_scaling
from core.model import Rescale
from core.model.attention import attend_probed
from pages.frame import cached, snippets
from pages.frame.charts import chart
from pages.frame.files import stacked
from pages.frame.language import _, n_, number, percent
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from pages.views.scaling import per_head
from viz.charts.curves import Quantity

FORMULA = r"""
\mathrm{evenness} = \frac{1}{|Q|} \sum_{q \in Q} \frac{-\sum_k w_{qk} \ln w_{qk}}{\ln n_q},
\qquad n_q = \text{keys that } q \text{ may see}, \quad Q = \{q : n_q > 1\}
"""


def draw(opened: Opened) -> Shown:
    """Draw how evenly every head looks around, with the scaling and without it."""
    found = cached.of_run(without_scaling, opened.path, opened.inspection.translation)
    dots = per_head.dots(
        {_("as the model learned it"): found.scaled, _("scaling taken away"): found.unscaled},
        Quantity(_("entropy, share of the largest"), share=True),
        _("How evenly each head looks around, with and without the scaling"),
    )
    picture = chart(dots)
    st.caption(_conditions(found))
    begun = snippets.translating(
        opened.path,
        opened.sentence,
        "from core.analysis.lessons.rescaled import without_scaling",
    )
    return Shown(
        name="heads",
        title=_("How evenly each head looks around, with and without the scaling"),
        seen=_said(found),
        numbers=lambda: _numbers(found),
        python=begun
        + "found = without_scaling(run, translation)\n"
        + "numbers = [*found.unscaled.values(), *found.scaled.values()]\n"
        + "numbers += [found.unscaled_loss, found.scaled_loss, found.n_same, found.n_tokens]\n",
        code=[without_scaling, Rescale, attend_probed],
        pictures=[picture],
        formula=FORMULA,
        tries=[
            _("Which heads change least? Those that were sharp already."),
            _("Type a longer sentence, or one with words that the model never saw."),
            _("Choose another model at the top: with a smaller d_k there is less to take away."),
        ],
    )


def _said(found: Rescaled) -> str:
    return n_(
        "Unscaled, the heads spread **less**: mean entropy **{before}** → **{after}** of the "
        "largest; **{same}** of {n} token stays as it is.",
        "Unscaled, the heads spread **less**: mean entropy **{before}** → **{after}** of the "
        "largest; **{same}** of {n} tokens stay as they are.",
        found.n_tokens,
    ).format(
        before=percent(mean_of(found.scaled)),
        after=percent(mean_of(found.unscaled)),
        n=number(found.n_tokens),
        same=number(found.n_same),
    )


def _conditions(found: Rescaled) -> str:
    """Say how it was measured, and what the loss becomes."""
    return _(
        "Each layer goes on with what comes out of those before it; the decoder is fed the same "
        "words in both passes. The loss on it goes from {loss} to {new_loss} nats per token."
    ).format(
        loss=number(found.scaled_loss, padded=False),
        new_loss=number(found.unscaled_loss, padded=False),
    )


def _numbers(found: Rescaled) -> Columns:
    """Return every head's evenness, then the losses and how many choices stay the same."""
    guesses: Columns = {
        "unscaled_loss": [found.unscaled_loss],
        "scaled_loss": [found.scaled_loss],
        "same_choices": [found.n_same],
        "tokens": [found.n_tokens],
    }
    return stacked(per_head.columns(found.unscaled, found.scaled), guesses)
