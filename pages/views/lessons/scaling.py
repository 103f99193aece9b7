"""Why scores are divided by √d_k: a softmax at a width, and sampled ones."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import streamlit as st

from core.studies.lessons.scaling import (
    WIDTHS,
    Response,
    Sampled,
    WhyScale,
    jacobian,
    jacobian_norms,
    read_scores,
    sampled_widths,
    softmax,
    why_scale,
)
from pages.frame import controls
from pages.frame.charts import charts
from pages.frame.language import _, number, percent
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity, Rule, curves

SHARP = 0.95
"""Above this largest weight hardly any gradient is left for the other keys."""
FEW, SMALL = 4, 25
"""Keys, and a size of scores, up to which the softmax is worked out in a line."""


def draw(opened: Opened) -> Shown:
    """Draw a softmax with the division and without, and what is sampled at other widths."""
    d_k = opened.run.settings.model.d_k
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        offered = {each: number(each) for each in sorted({*WIDTHS, d_k})}
        width = controls.selection("d_k", "d_k", offered, d_k, width=130)
        # Scores grow with the root of the width.
        usual = ", ".join(str(round(key * math.sqrt(width))) for key in (1, 2, 3))
        label = _("Scores q·k before the division (1 to 16 numbers)")
        typed = controls.text(label, name="undivided", default=usual, width=330)
    recipe = Recipe(why_scale, tuple(read_scores(typed).tolist()), width)
    found = recipe.result()
    drawn = (
        _weights(found, width),
        _variance(found.sampled, width),
        _gradient(found.sampled, width),
    )
    pictures = charts(st.columns(3, gap="medium"), drawn)
    if len(found.scaled.scores_K) <= FEW and np.abs(found.unscaled.scores_K).max() <= SMALL:
        text = _("Worked out: {undivided}. Divided by √{d_k}, a temperature of {root}: {divided}.")
        st.caption(
            text.format(
                undivided=_worked(found.unscaled),
                d_k=number(width),
                root=number(math.sqrt(width), padded=False),
                divided=_worked(found.scaled),
            )
        )
    return Shown(
        name="scaling",
        title=_("A softmax with the division by √d_k and without it"),
        recipe=recipe,
        seen=_seen(found, width),
        code=[softmax, jacobian, jacobian_norms, sampled_widths],
        pictures=pictures,
    )


def _seen(found: WhyScale, width: int) -> str:
    """Say how sharp the softmax is, and what the division leaves for the other keys."""
    largest, divided = float(found.unscaled.outputs_K.max()), float(found.scaled.outputs_K.max())
    sharp, even = percent(largest), percent(divided)
    if sharp == even:
        same = _("Divided by √{d_k} or not, one key gets **{share}** of the weight.")
        return same.format(d_k=number(width), share=even)
    text = _(
        "Undivided, one key gets **{sharp}** of the weight; divided by √{d_k}, **{even}**, which "
        "leaves {rest} for the others."
    )
    if divided <= SHARP < largest:
        text = _(
            "Undivided, one key gets **{sharp}** of the weight, so hardly any gradient is left to "
            "learn from; divided by √{d_k}, **{even}**, which leaves {rest} for the others."
        )
    return text.format(sharp=sharp, d_k=number(width), even=even, rest=percent(1 - divided))


def _worked(found: Response) -> str:
    """Return a softmax as powers of e, their sum, and the shares of it."""
    powers_K = np.exp(found.scores_K)

    def row(values: Iterable[float], digits: int | None = None) -> str:
        # Numbers of some languages have commas.
        return "; ".join(number(each, digits, padded=False) for each in values)

    text = _("e to the power of ({scores}) = ({powers}), ÷ {sum} = **({weights})**")
    return text.format(
        scores=row(found.scores_K.tolist()),
        powers=row(powers_K.tolist()),
        sum=number(float(powers_K.sum())),
        weights=row(found.outputs_K.tolist(), 2),
    )


def _weights(found: WhyScale, width: int) -> Chart:
    named = _("key {n}: {before} ÷ √{d_k} = {score}")
    scores = zip(found.unscaled.scores_K.tolist(), found.scaled.scores_K.tolist(), strict=True)
    names = [
        named.format(
            n=number(place),
            before=number(before, significant=3, padded=False),
            d_k=number(width),
            score=number(after, significant=3, padded=False),
        )
        for place, (before, after) in enumerate(scores, start=1)
    ]
    return bars(
        {
            _("without ÷ √d_k"): found.unscaled.outputs_K.tolist(),
            _("with ÷ √d_k"): found.scaled.outputs_K.tolist(),
        },
        names,
        value=Quantity(_("weight"), share=True, write=percent),
        title=_("1. The softmax of your scores"),
    )


def _variance(found: Sequence[Sampled], width: int) -> Chart:
    series = {
        _("without ÷ √d_k"): [each.variance_unscaled for each in found],
        _("with ÷ √d_k"): [each.variance_scaled for each in found],
    }
    return _against_width(
        series, found, _("variance of q·k"), _("2. Undivided, scores spread"), width
    )


def _gradient(found: Sequence[Sampled], width: int) -> Chart:
    series = {
        _("without ÷ √d_k"): [each.gradient_unscaled for each in found],
        _("with ÷ √d_k"): [each.gradient_scaled for each in found],
    }
    y = _("gradient that is left (norm of the Jacobian)")
    return _against_width(series, found, y, _("3. … and training stalls"), width)


def _against_width(
    series: Mapping[str, list[float]], found: Sequence[Sampled], y: str, title: str, width: int
) -> Chart:
    return curves(
        dict(series),
        x=Quantity("d_k", log=True),
        y=Quantity(y, log=True),
        at=[each.d_k for each in found],
        title=title,
        rules=[Rule(width, f"d_k = {number(width)}")],
    )
