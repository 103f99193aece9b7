"""The pictures of the lesson on scaling: what was computed, handed over to `viz`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.analysis.lessons.scaling import Average, Response, Spread
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.text import _
from viz.charts.bars import bars
from viz.charts.curves import Quantity, Rule, curves
from viz.plane.matrices import Matrices, Matrix, numbered

Floats = NDArray[np.float64]
STEEPEST = 0.25
"""No entry of a softmax's Jacobian is farther from 0."""


def stretched(sizes: Floats, outputs: Floats, size: float) -> None:
    """Draw softmax([a, a, 2a]) against a, one row of outputs for each size."""
    series = {
        _("y2, of the score 2a"): outputs[:, 2].tolist(),
        _("y0 and y1, of a each"): outputs[:, 0].tolist(),
    }
    chart(
        curves(
            series,
            x=Quantity("a"),
            y=Quantity(_("output of the softmax"), share=True),
            at=sizes.tolist(),
            title=_("The larger a, the more the largest score takes"),
            rules=[Rule(size, f"a = {size:g}")],
        ),
    )


def exact_outputs(found: Response, slopes_K: Floats) -> str:
    """Return the scores a, a, 2a with outputs and slopes dy/da as a table in Markdown."""
    head = _("| score | softmax y | slope dy/da |") + "\n|---:|---:|---:|\n"
    columns = (found.scores_K, found.outputs_K, slopes_K)
    return head + "\n".join(
        f"| {name} = {score:g} | `{output!r}` | {slope:.2g} |"
        for name, score, output, slope in zip(
            ("a", "a", "2a"), *(column.tolist() for column in columns), strict=True
        )
    )


def variances(found: Sequence[Spread], d_k: int) -> None:
    """Draw the variance of q·k against d_k, beside what theory says."""
    series = {
        _("q·k"): [each.unscaled for each in found],
        _("q·k / √d_k"): [each.scaled for each in found],
        _("theory: d_k"): [float(each.d_k) for each in found],
        _("theory: 1"): [1.0 for _each in found],
    }
    chart(
        curves(
            series,
            x=Quantity("d_k", log=True),
            y=Quantity(_("variance"), log=True),
            at=[each.d_k for each in found],
            title=_("The variance of q·k grows with the width, unless it is divided"),
            rules=[_of_this_model(d_k)],
        ),
    )


def jacobian_map(found: Response) -> None:
    """Draw the softmax's Jacobian."""
    n = len(found.scores_K)
    shown = Matrix(
        title=_("How much each output moves with each score"),
        values=found.jacobian_KK.astype(np.float32),
        rows=numbered(_("i: the output y that moves"), n),
        columns=numbered(_("j: the score x that is moved"), n),
        scale="signed",
        limit=STEEPEST,
        note=_("No entry can be farther from 0 than ¼."),
        value_name="∂yᵢ / ∂xⱼ",
    )
    matrices(Matrices(panels=[shown]), key="jacobian_map")


def size_of_jacobian(found: Response) -> str:
    """Say how large the Jacobian is."""
    said = _("The entry farthest from 0 is **{largest:.3g}**, the Frobenius norm **{norm:.3g}**.")
    return said.format(largest=found.largest, norm=found.norm)


def outputs(found: Response, factor: float) -> None:
    """Draw the softmax's outputs."""
    chart(
        bars(
            {"y": found.outputs_K.tolist()},
            [f"y{at}: {score:.4g}" for at, score in enumerate(found.scores_K.tolist())],
            value=Quantity(_("output y"), share=True),
            title=_("What the softmax makes of {factor:.3g} · x").format(factor=factor),
        ),
    )


def gradients(found: Sequence[Spread], d_k: int, average: Average) -> None:
    """Draw how much gradient comes through the softmax against d_k."""
    measured = {
        "mean": _("mean Frobenius norm of the Jacobian"),
        "median": _("median Frobenius norm of the Jacobian"),
    }
    series = {
        _("scores q·k"): [each.unscaled for each in found],
        _("scores q·k / √d_k"): [each.scaled for each in found],
    }
    chart(
        curves(
            series,
            x=Quantity("d_k", log=True),
            y=Quantity(measured[average], log=True),
            at=[each.d_k for each in found],
            title=_("Without the division, wide heads get little gradient through their softmax"),
            rules=[_of_this_model(d_k)],
        ),
    )


def sampled_columns(found: Sequence[Spread]) -> dict[str, list[float]]:
    """Return what was sampled, for a file."""
    return {
        "d_k": [each.d_k for each in found],
        "not divided": [each.unscaled for each in found],
        "divided by √d_k": [each.scaled for each in found],
    }


def _of_this_model(d_k: int) -> Rule:
    return Rule(d_k, _("this model: {d_k}").format(d_k=d_k))
