"""How much gradient comes through the softmax at every width."""

import streamlit as st

from core.studies.lessons.scaling import (
    AVERAGES,
    Average,
    Spread,
    jacobian_norms,
    sampled_gradients,
)
from pages.frame import controls, snippets
from pages.frame.charts import chart
from pages.frame.language import _, n_, number
from pages.frame.opening import Opened
from pages.frame.view import Shown
from pages.views.scaling import widths
from viz.charts.curves import Chart

KEYS, QUERIES = (2, 4, 8, 16), (10, 30, 100, 1000)
FORMULA = r"""
\lVert J \rVert_F = \sqrt{\sum_{i,j} \left(\frac{\partial y_i}{\partial x_j}\right)^2},
\qquad x_j = q \cdot k_j \ \text{ or } \ \frac{q \cdot k_j}{\sqrt{d_k}}
"""


def draw(opened: Opened) -> Shown:
    """Draw the softmax's Frobenius norm against d_k, with the division and without."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_keys = widths.ask_count(_("Keys"), "keys", KEYS, 8)
        n = widths.ask_count(_("Queries n"), "queries", QUERIES, QUERIES[-1])
        average = _ask_average()
        seed = widths.ask_seed()
    found = sampled_gradients(n_keys, n, seed, average)
    picture = chart(_curves(found, opened.run.settings.model.d_k, average))
    said = {
        "mean": n_(
            "Mean over n = {n} query at each d_k, each with {keys} keys of its own; all "
            "components normal with mean 0 and variance 1; seed {seed}.",
            "Mean over n = {n} queries at each d_k, each with {keys} keys of its own; all "
            "components normal with mean 0 and variance 1; seed {seed}.",
            n,
        ),
        "median": n_(
            "Median over n = {n} query at each d_k, each with {keys} keys of its own; all "
            "components normal with mean 0 and variance 1; seed {seed}.",
            "Median over n = {n} queries at each d_k, each with {keys} keys of its own; all "
            "components normal with mean 0 and variance 1; seed {seed}.",
            n,
        ),
    }
    st.caption(said[average].format(n=number(n), keys=number(n_keys), seed=seed))
    function = "from core.studies.lessons.scaling import sampled_gradients"
    return Shown(
        name="gradient",
        title=_("How much gradient comes through the softmax at every width"),
        seen=_seen(found[-1], n),
        numbers=lambda: widths.columns(found),
        python=snippets.importing(function)
        + f'\nfound = sampled_gradients({n_keys}, {n}, {seed}, "{average}")\n'
        + "numbers = [[each.unscaled for each in found], [each.scaled for each in found]]\n",
        code=[sampled_gradients, jacobian_norms],
        pictures=[picture],
        formula=FORMULA,
        tries=[
            _(
                "Choose the **median**: half of the queries get less than that. The mean falls "
                "slower, because in a few queries two keys happen to tie."
            ),
            _("Change the number of **keys**: the divided scores keep their gradient with each."),
            _("Change the **seed**, and see how much of the line is chance."),
        ],
    )


def _seen(widest: Spread, n: int) -> str:
    """Say how much gradient comes through at the largest width."""
    return n_(
        "At d_k = {d} the division by √d_k lets about **{times} times** as much gradient through "
        "the softmax: the norm of the Jacobian is {scaled} with it, {unscaled} without ({n} "
        "sampled query).",
        "At d_k = {d} the division by √d_k lets about **{times} times** as much gradient through "
        "the softmax: the norm of the Jacobian is {scaled} with it, {unscaled} without ({n} "
        "sampled queries).",
        n,
    ).format(
        n=number(n),
        d=number(widest.d_k),
        unscaled=number(widest.unscaled),
        scaled=number(widest.scaled),
        times=number(widest.scaled / max(widest.unscaled, 1e-12), significant=2),
    )


def _ask_average() -> Average:
    """Ask how a number is made of those of all queries."""
    labels: dict[Average, str] = {"mean": _("mean"), "median": _("median")}
    return controls.choice(_("Over queries"), "average", labels, AVERAGES[0], labelled=True)


def _curves(found: list[Spread], d_k: int, average: Average) -> Chart:
    measured = {
        "mean": _("gradient that comes through (mean norm of the Jacobian)"),
        "median": _("gradient that comes through (median norm of the Jacobian)"),
    }
    return widths.against_width(
        {
            _("scores q·k"): [each.unscaled for each in found],
            _("scores q·k / √d_k"): [each.scaled for each in found],
        },
        found,
        y=measured[average],
        title=_("Without the division, wide heads get little gradient through their softmax"),
        d_k=d_k,
    )
