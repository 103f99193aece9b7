"""The variance of q·k grows with the width, unless it is divided by √d_k."""

import streamlit as st

from core.studies.lessons.scaling import (
    DISTRIBUTIONS,
    Distribution,
    Spread,
    product_variances,
    score_spread,
)
from pages.frame import cached, controls, snippets
from pages.frame.charts import chart
from pages.frame.files import stacked
from pages.frame.language import _, n_, number
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from pages.views.scaling import per_head, widths
from viz.charts.curves import Chart, Quantity

SAMPLES = (30, 100, 1000)
FORMULA = r"""
q \cdot k = \sum_{i=1}^{d_k} q_i k_i, \qquad \mathrm{E}[q \cdot k] = 0, \qquad
\mathrm{Var}[q \cdot k] = d_k, \qquad
\mathrm{Var}\!\left[\frac{q \cdot k}{\sqrt{d_k}}\right] = 1
"""


def draw(opened: Opened) -> Shown:
    """Draw sampled variances against d_k, beside those of the model's own heads."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        components = _ask_components()
        n = widths.ask_count(_("Samples n"), "samples", SAMPLES, SAMPLES[-1])
        seed = widths.ask_seed()
    found = product_variances(components, n, seed)
    spread = cached.of_run(score_spread, opened.path, opened.sentence)
    d_k = opened.run.settings.model.d_k
    left, right = st.columns([3, 2], gap="medium")
    with left:
        pictures = [chart(_sampled(found, d_k))]
    with right:
        own = per_head.dots(
            {_("q·k"): spread.unscaled, _("q·k / √d_k"): spread.scaled},
            Quantity(_("variance"), log=True),
            _("The model’s own heads, on this sentence"),
        )
        pictures.append(chart(own))
    st.caption(
        n_(
            "Left: n = {n} pair at each d_k, new ones at each, seed {seed}. Right: the "
            "variance of each head of this model over all pairs of a query and a key that"
            " it may see in this sentence and what is written of it.",
            "Left: n = {n} pairs at each d_k, new ones at each, seed {seed}. Right: the "
            "variance of each head of this model over all pairs of a query and a key that"
            " it may see in this sentence and what is written of it.",
            n,
        ).format(n=number(n), seed=seed)
    )

    def numbers() -> Columns:
        heads = spread.table()
        return stacked(widths.columns(found), {**heads, "d_k": [d_k] * len(heads["head"])})

    return Shown(
        name="variance",
        title=_("The variance of q·k against d_k, and in the model’s own heads"),
        seen=_seen(found[-1]),
        numbers=numbers,
        python=_python(opened, components, n, seed),
        code=[product_variances, score_spread],
        pictures=pictures,
        formula=FORMULA,
        tries=[
            _(
                "Change the **components**: normal, uniform or ±1 make no difference. Only mean "
                "0, variance 1 and independence count."
            ),
            _(
                "Change the **seed** with 30 samples, then with 1000: how much of the line is "
                "chance?"
            ),
            _(
                "Look at the **model's own heads**: what they learned is not independent, and so "
                "their variance need not be 1. A head that points sharply has learned large "
                "scores in spite of the division."
            ),
        ],
    )


def _seen(widest: Spread) -> str:
    """Say what the variance is at the largest width."""
    return _(
        "At d_k = {d} the variance of q·k is **{unscaled}**, that of q·k / √d_k is **{scaled}**. "
        "For independent components of mean 0 and variance 1 theory says {d} and 1."
    ).format(
        d=number(widest.d_k), unscaled=number(widest.unscaled, 1), scaled=number(widest.scaled, 2)
    )


def _ask_components() -> Distribution:
    """Ask how the components of sampled vectors are distributed."""
    labels: dict[Distribution, str] = {
        "normal": _("normal"),
        "uniform": _("uniform"),
        "±1": "±1",
    }
    return controls.choice(_("Components"), "components", labels, DISTRIBUTIONS[0], labelled=True)


def _sampled(found: list[Spread], d_k: int) -> Chart:
    return widths.against_width(
        {
            _("q·k"): [each.unscaled for each in found],
            _("q·k / √d_k"): [each.scaled for each in found],
            _("theory: d_k"): [float(each.d_k) for each in found],
            _("theory: 1"): [1.0 for _each in found],
        },
        found,
        y=_("variance"),
        title=_("The variance of q·k grows with the width, unless it is divided"),
        d_k=d_k,
    )


def _python(opened: Opened, components: Distribution, n: int, seed: int) -> str:
    begun = snippets.naming(
        opened.path,
        opened.sentence,
        "from core.studies.lessons.scaling import score_spread",
        "from core.studies.lessons.scaling import product_variances",
    )
    return begun + "\n".join(
        [
            f"sampled = product_variances({snippets.quoted(components)}, {n}, {seed})",
            "spread = score_spread(run, sentence)",
            "numbers = [",
            "    [each.unscaled for each in sampled],",
            "    *spread.unscaled.values(),",
            "    [each.scaled for each in sampled],",
            "    *spread.scaled.values(),",
            "]",
            "",
        ]
    )
