"""How much each output of the softmax moves when a score moves."""

import math

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.studies.lessons.scaling import (
    Response,
    ScoresError,
    jacobian,
    read_scores,
    response,
    softmax,
)
from pages.frame import address, controls, snippets
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.files import stacked
from pages.frame.language import _, number, percent, plain
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity
from viz.plane.matrices import Matrices, Matrix, numbered

FACTOR = "factor"
LARGEST_NORM = 0.5
"""Of a softmax's Jacobian, by Frobenius: where two scores share all the weight."""
STEEPEST = 0.25
"""No entry of a softmax's Jacobian is farther from 0."""
FORMULA = r"""
\frac{\partial y_i}{\partial x_j} =
\begin{cases} y_i (1 - y_i) & i = j \\ -y_i y_j & i \neq j \end{cases}, \qquad
J = \mathrm{diag}(y) - y y^\top
"""

_FEW = 8
"""So many scores have room for a number in each cell."""


def draw(opened: Opened) -> Shown | None:
    """Draw the Jacobian of typed scores, beside their softmax."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = _("Scores x (up to 16, with commas between them)")
        typed = controls.text(label, name="scores", default="1, 2, 3", width=340)
        factor = _ask_factor(math.sqrt(opened.run.settings.model.d_k))
    try:
        scores_K = read_scores(typed)
    except ScoresError as error:
        st.error(plain(explained(error)))
        return None
    found = response(scores_K, factor)
    left, right = st.columns(2, gap="large")
    with left:
        pictures = [matrices(_map(found), key="jacobian_map")]
    with right:
        pictures.append(chart(_outputs(found, factor)))
    return Shown(
        name="jacobian",
        title=_("How much each output of the softmax moves with each score"),
        seen=_seen(found),
        numbers=lambda: _numbers(scores_K, found),
        python=_python(typed, factor),
        code=[jacobian, softmax],
        pictures=pictures,
        formula=FORMULA,
        tries=[
            _(
                "Raise the **factor** from 1 to √d_k and on to 100: y becomes one-hot, and "
                "the map grey."
            ),
            _(
                "Set the **factor** to 0: three equal outputs give the norm 0.471. Then type "
                "**0, 0, -100** with factor 1: a tie of two gives 0.5, the largest there is."
            ),
            _(
                "Type **5, 5**, then **5, 5, 5, 5**: equal scores share the weight, and the "
                "gradient."
            ),
            _("Every row sums to 0: what one output gains, the others lose."),
        ],
    )


def _seen(found: Response) -> str:
    """Say how much gradient comes through, of the most that there can be."""
    n = len(found.scores_K)
    most = int(found.outputs_K.argmax())
    text = _(
        "Move score {at} a little, and output {at} moves by **{slope}** of that. Over all of them, "
        "**{share}** of the largest gradient comes through (norm of the Jacobian {norm}, at most "
        "{tie}); with equal scores {even}, and none where one output has all the weight."
    )
    if n == 1:
        text = _("One score always gets all the weight: nothing can move, the norm is **{norm}**.")
    return text.format(
        at=number(most),
        slope=number(float(found.jacobian_KK[most, most]), 2),
        norm=number(found.norm),
        even=percent(math.sqrt(n - 1) / n / LARGEST_NORM),
        share=percent(found.norm / LARGEST_NORM),
        tie=number(LARGEST_NORM, 1),
    )


def _ask_factor(root: float) -> float:
    """Ask what the scores are multiplied with.

    Args:
        root: √d_k of the loaded model, one click away.
    """
    chosen = controls.amount(_("Factor"), FACTOR, 1.0, limits=(0.0, 1000.0))
    scaled = _("× √d_k = {root}").format(root=number(root, padded=False))
    for name, label, value in (
        ("one", "× 1", 1.0),
        ("root", scaled, root),
        ("hundred", "× 100", 100.0),
    ):
        st.button(
            label,
            key=f"factor_{name}",
            type="tertiary",
            on_click=address.choose,
            args=({FACTOR: value},),
        )
    return chosen


def _map(found: Response) -> Matrices:
    n = len(found.scores_K)
    shown = Matrix(
        title=_("How much each output moves with each score"),
        values=found.jacobian_KK.astype(np.float32),
        rows=numbered(_("i: output y that moves"), n),
        columns=numbered(_("j: score x, moved"), n),
        scale="signed",
        limit=STEEPEST,
        texts=[[number(each, 2) for each in row] for row in found.jacobian_KK.tolist()]
        if n <= _FEW
        else None,
        note=_("No entry can be farther from 0 than ¼."),
        value_name="∂yᵢ / ∂xⱼ",
    )
    return Matrices(panels=[shown])


def _outputs(found: Response, factor: float) -> Chart:
    names = [number(score, significant=4, padded=False) for score in found.scores_K.tolist()]
    return bars(
        {"y": found.outputs_K.tolist()},
        [f"y{at}: {name}" for at, name in enumerate(names)],
        value=Quantity(_("output y"), share=True),
        title=_("What the softmax makes of {factor} · x").format(
            factor=number(factor, padded=False)
        ),
    )


def _numbers(scores_K: NDArray[np.float64], found: Response) -> Columns:
    """Return ∂y/∂x for every pair, every output with its score, and how large the Jacobian is."""
    n = len(scores_K)
    rows, columns = np.indices((n, n)).reshape(2, -1).tolist()
    slopes = found.jacobian_KK.reshape(-1).tolist()
    outputs: Columns = {
        "x": scores_K.tolist(),
        "factor · x": found.scores_K.tolist(),
        "y": found.outputs_K.tolist(),
    }
    size: Columns = {"largest": [found.largest], "norm": [found.norm]}
    return stacked({"row": rows, "column": columns, "slope": slopes}, outputs, size)


def _python(typed: str, factor: float) -> str:
    imports = snippets.importing(
        "from core.studies.lessons.scaling import response",
        "from core.studies.lessons.scaling import read_scores",
    )
    return imports + "\n".join(
        [
            "",
            f"scores_K = read_scores({snippets.quoted(typed)})",
            f"found = response(scores_K, {factor!r})",
            "numbers = [found.jacobian_KK, scores_K, found.scores_K, found.outputs_K]",
            "numbers += [found.largest, found.norm]",
            "",
        ]
    )
