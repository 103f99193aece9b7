"""Why scores are divided by √d_k: a softmax at a width, sampled ones, and the loaded model."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.model import Rescale
from core.studies.lessons.scaling import (
    WIDTHS,
    Rescaled,
    Sampled,
    ScoresError,
    WhyScale,
    jacobian,
    jacobian_norms,
    mean_of,
    read_scores,
    sampled_widths,
    softmax,
    why_scale,
    without_scaling,
)
from pages.frame import controls
from pages.frame.charts import chart
from pages.frame.language import _, n_, number, percent
from pages.frame.needs import Need
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown, saying_why
from pages.views.lessons import stacks
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity, Rule, curves
from viz.charts.dumbbells import dumbbells

LARGEST_NORM = 0.5
"""Of a softmax's Jacobian, by Frobenius: where two scores share all the weight."""


@saying_why(ScoresError)
def draw(opened: Opened) -> Shown:
    """Draw a softmax with the division and without, or the loaded model without it."""
    pictures = {"softmax": _("one softmax"), "model": _("this model without it")}
    needs = (Need.WRITING, Need.NEXT, Need.HEADS, Need.SCALED_SCORES)
    if stacks.ask_picture(opened, "scaling_shown", pictures, {"model": needs}) == "model":
        return _model(opened)
    return _softmax(opened)


def _softmax(opened: Opened) -> Shown:
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
        title=_("2. One key gets all the weight"),
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
        series, found, _("norm of the Jacobian"), _("3. Little gradient is left"), width
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


def _model(opened: Opened) -> Shown:
    recipe = Recipe(without_scaling, opened.path, opened.sentence)
    found = recipe.result()
    title = _("How evenly each head spreads its weight, with and without the division")
    series = {_("as the model learned it"): found.scaled, _("without the division"): found.unscaled}
    heads = [head for site, of_site in found.scaled.items() for head in site.heads(len(of_site))]
    figure = dumbbells(
        {name: [one for each in of.values() for one in each] for name, of in series.items()},
        [f"{head.layer}.{head.index}" for head in heads],
        groups=[_(head.kind.label) for head in heads],
        value=Quantity(_("entropy, share of the largest"), share=True),
        of=_("layer.head"),
        title=title,
    )
    return Shown(
        name="without_scaling",
        title=title,
        recipe=recipe,
        seen=_without(found),
        code=[Rescale],
        pictures=[chart(figure)],
        formula=r"\mathrm{evenness} = \frac{1}{|Q|} \sum_{q \in Q} "
        r"\frac{-\sum_k w_{qk} \ln w_{qk}}{\ln n_q}, "
        r"\qquad n_q = \text{keys that } q \text{ may see}, \quad Q = \{q : n_q > 1\}",
    )


def _without(found: Rescaled) -> str:
    """Say what taking the scaling away does to the loaded model, which learned with it."""
    text = n_(
        "Without the division the mean entropy of this model’s heads goes from **{before}** to "
        "**{after}** of the largest; {same} of {n} token of its translation stays the same.",
        "Without the division the mean entropy of this model’s heads goes from **{before}** to "
        "**{after}** of the largest; {same} of {n} tokens of its translation stay the same.",
        found.n_tokens,
    )
    return text.format(
        before=percent(mean_of(found.scaled)),
        after=percent(mean_of(found.unscaled)),
        n=number(found.n_tokens),
        same=number(found.n_same),
    )
