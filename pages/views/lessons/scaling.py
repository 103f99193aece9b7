"""Why scores are divided by √d_k: a softmax at a width, sampled ones, and the loaded model."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from core.model import Rescale
from core.studies.lessons.scaling import (
    WIDTHS,
    PerHead,
    Rescaled,
    Response,
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
from pages.frame.components import matrices
from pages.frame.language import _, joined, n_, number, percent
from pages.frame.needs import Need
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown, saying_why
from pages.views.lessons import positions, stacks
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity, Rule, curves
from viz.charts.dumbbells import dumbbells
from viz.plane.matrices import Matrices, Matrix, numbered

LARGEST_NORM = 0.5
"""Of a softmax's Jacobian, by Frobenius: where two scores share all the weight."""
STEEPEST = 0.25
"""No entry of a softmax's Jacobian is farther from 0."""
FEW = 8
"""Scores that leave room for a number in each cell."""


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
    with positions.row():
        label = _("Scores after the division (up to 16)")
        typed = controls.text(label, name="scores", default="1, 2, 3", width=260)
        offered = {each: number(each) for each in sorted({*WIDTHS, d_k})}
        width = controls.selection("d_k", "d_k", offered, d_k, width=130)
        seed = controls.amount(_("Seed"), "sample_seed", 0, limits=(0, 9999))
    recipe = Recipe(why_scale, tuple(read_scores(typed).tolist()), width, seed)
    found = recipe.result()
    left, right = st.columns([2, 3], gap="large")
    with left:
        pictures = [chart(_outputs(found))]
    with right:
        panels = [
            _jacobian(found.unscaled, _("Jacobian without the division")),
            _jacobian(found.scaled, _("Jacobian with it")),
        ]
        pictures.append(matrices(Matrices(panels=panels), key="jacobian_map"))
    left, right = st.columns(2, gap="large")
    with left:
        pictures.append(chart(_variance(found.sampled, width)))
    with right:
        pictures.append(chart(_gradient(found.sampled, width)))
    return Shown(
        name="scaling",
        title=_("A softmax with the division by √d_k and without it"),
        recipe=recipe,
        seen=_seen(found, width),
        code=[softmax, jacobian, jacobian_norms, sampled_widths],
        pictures=pictures,
    )


def _seen(found: WhyScale, width: int) -> str:
    """Say how sharp the softmax is, and how much gradient comes through."""
    text = _(
        "At d_k = {d} scores are √d_k = {root} times as large: without the division one key gets "
        "**{sharp}** of the weight, and **{flat}** of the largest gradient comes through; with it "
        "{even} and **{share}**."
    )
    return text.format(
        d=number(width),
        root=number(math.sqrt(width), padded=False),
        sharp=percent(found.unscaled.outputs_K.max()),
        flat=percent(found.unscaled.norm / LARGEST_NORM),
        even=percent(found.scaled.outputs_K.max()),
        share=percent(found.scaled.norm / LARGEST_NORM),
    )


def _outputs(found: WhyScale) -> Chart:
    names = [number(each, significant=4, padded=False) for each in found.scaled.scores_K.tolist()]
    return bars(
        {
            _("q·k"): found.unscaled.outputs_K.tolist(),
            _("q·k / √d_k"): found.scaled.outputs_K.tolist(),
        },
        [f"y{at}: {name}" for at, name in enumerate(names)],
        value=Quantity(_("weight"), share=True),
        title=_("What the softmax makes of them"),
    )


def _jacobian(found: Response, title: str) -> Matrix:
    n = len(found.scores_K)
    return Matrix(
        title=title,
        values=found.jacobian_KK.astype(np.float32),
        rows=numbered(_("i: output y that moves"), n),
        columns=numbered(_("j: score x, moved"), n),
        scale="signed",
        limit=STEEPEST,
        texts=[[number(each, 2) for each in row] for row in found.jacobian_KK.tolist()]
        if n <= FEW
        else None,
        value_name="∂yᵢ / ∂xⱼ",
    )


def _variance(found: Sequence[Sampled], width: int) -> Chart:
    series = {
        _("q·k"): [each.variance_unscaled for each in found],
        _("q·k / √d_k"): [each.variance_scaled for each in found],
        _("theory: d_k"): [float(each.d_k) for each in found],
        _("theory: 1"): [1.0 for _each in found],
    }
    title = _("The variance of q·k grows with the width, unless it is divided")
    return _against_width(series, found, _("variance"), title, width)


def _gradient(found: Sequence[Sampled], width: int) -> Chart:
    series = {
        _("q·k"): [each.gradient_unscaled for each in found],
        _("q·k / √d_k"): [each.gradient_scaled for each in found],
    }
    measured = _("gradient that comes through (mean norm of the Jacobian)")
    title = _("Without the division, wide heads get little gradient through their softmax")
    return _against_width(series, found, measured, title, width)


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
    left, right = st.columns([3, 2], gap="medium")
    with left:
        title = _("How evenly each head looks around, with and without the scaling")
        evenness = Quantity(_("entropy, share of the largest"), share=True)
        learned, taken = _("as the model learned it"), _("scaling taken away")
        pictures = [chart(_dots({learned: found.scaled, taken: found.unscaled}, evenness, title))]
    with right:
        variances = {_("q·k"): found.unscaled_variance, _("q·k / √d_k"): found.scaled_variance}
        own = _("The variance of its scores on this sentence")
        pictures.append(chart(_dots(variances, Quantity(_("variance"), log=True), own)))
    loss = _("The decoder is fed the same words both times: the loss goes from {old} to {new}.")
    st.caption(
        loss.format(
            old=number(found.scaled_loss, padded=False),
            new=number(found.unscaled_loss, padded=False),
        )
    )
    return Shown(
        name="without_scaling",
        title=title,
        recipe=recipe,
        seen=_without(found),
        code=[Rescale],
        pictures=pictures,
        formula=r"\mathrm{evenness} = \frac{1}{|Q|} \sum_{q \in Q} "
        r"\frac{-\sum_k w_{qk} \ln w_{qk}}{\ln n_q}, "
        r"\qquad n_q = \text{keys that } q \text{ may see}, \quad Q = \{q : n_q > 1\}",
    )


def _without(found: Rescaled) -> str:
    """Say what taking the scaling away does to the loaded model, which learned with it."""
    before, after = mean_of(found.scaled), mean_of(found.unscaled)
    spread = _("Without the division this model’s heads spread **more**:")
    if after < before:
        spread = _("Without the division this model’s heads spread **less**:")
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


def _dots(series: Mapping[str, PerHead], value: Quantity, title: str) -> Chart:
    """Return a column for each head with a dot for each series."""
    numbers = next(iter(series.values()))
    heads = [head for site, of_site in numbers.items() for head in site.heads(len(of_site))]
    return dumbbells(
        {name: [one for each in of.values() for one in each] for name, of in series.items()},
        [f"{head.layer}.{head.index}" for head in heads],
        groups=[_(head.kind.label) for head in heads],
        value=value,
        of=_("layer.head"),
        title=title,
    )
