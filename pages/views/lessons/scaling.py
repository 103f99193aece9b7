"""Why scores are divided by √d_k: a softmax at a width, and sampled ones."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.studies.lessons.scaling import (
    WIDTHS,
    Sampled,
    ScoresError,
    WhyScale,
    jacobian,
    jacobian_norms,
    read_scores,
    sampled_widths,
    softmax,
    why_scale,
)
from pages.frame import controls
from pages.frame.charts import chart
from pages.frame.language import _, number, percent
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown, saying_why
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity, Rule, curves

LARGEST_NORM = 0.5
"""Of a softmax's Jacobian, by Frobenius: where two scores share all the weight."""


@saying_why(ScoresError)
def draw(opened: Opened) -> Shown:
    """Draw a softmax with the division and without, and what is sampled at other widths."""
    d_k = opened.run.settings.model.d_k
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        label = _("Scores after the division (up to 16)")
        typed = controls.text(label, name="scores", default="1, 2, 3", width=260)
        offered = {each: number(each) for each in sorted({*WIDTHS, d_k})}
        width = controls.selection("d_k", "d_k", offered, d_k, width=130)
    recipe = Recipe(why_scale, tuple(read_scores(typed).tolist()), width)
    found = recipe.result()
    drawn = (_variance(found.sampled, width), _weights(found), _gradient(found.sampled, width))
    pictures = []
    for place, figure in zip(st.columns(3, gap="medium"), drawn, strict=True):
        with place:
            pictures.append(chart(figure))
    return Shown(
        name="scaling",
        title=_("A softmax with the division by √d_k and without it"),
        recipe=recipe,
        seen=_seen(found),
        code=[softmax, jacobian, jacobian_norms, sampled_widths],
        pictures=pictures,
    )


def _seen(found: WhyScale) -> str:
    """Say how sharp the softmax is, and how much gradient comes through."""
    text = _(
        "Without the division one key gets **{sharp}** of the weight, and **{flat}** of the "
        "largest possible gradient comes through. With it: **{even}** and **{share}**."
    )
    return text.format(
        sharp=percent(found.unscaled.outputs_K.max()),
        flat=percent(found.unscaled.norm / LARGEST_NORM),
        even=percent(found.scaled.outputs_K.max()),
        share=percent(found.scaled.norm / LARGEST_NORM),
    )


def _weights(found: WhyScale) -> Chart:
    names = [number(each, significant=4, padded=False) for each in found.scaled.scores_K.tolist()]
    return bars(
        {
            _("without ÷ √d_k"): found.unscaled.outputs_K.tolist(),
            _("with ÷ √d_k"): found.scaled.outputs_K.tolist(),
        },
        [_("score {score}").format(score=name) for name in names],
        value=Quantity(_("weight"), share=True),
        title=_("2. The softmax of your scores"),
    )


def _variance(found: Sequence[Sampled], width: int) -> Chart:
    series = {
        _("without ÷ √d_k"): [each.variance_unscaled for each in found],
        _("with ÷ √d_k"): [each.variance_scaled for each in found],
    }
    return _against_width(
        series, found, _("variance of q·k"), _("1. Scores spread with the width"), width
    )


def _gradient(found: Sequence[Sampled], width: int) -> Chart:
    series = {
        _("without ÷ √d_k"): [each.gradient_unscaled for each in found],
        _("with ÷ √d_k"): [each.gradient_scaled for each in found],
    }
    return _against_width(
        series, found, _("norm of the Jacobian"), _("3. Wide heads get little gradient"), width
    )


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
