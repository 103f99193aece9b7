"""The matrix that takes every sinusoidal position k places on."""

import numpy as np
import streamlit as st

from core.config import ConfigError
from core.model.positional import timescales
from core.studies.lessons import positions
from core.studies.lessons.positions import Array, Sinusoids
from pages.frame import snippets
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.controls import amount
from pages.frame.files import stacked
from pages.frame.language import _, n_, number
from pages.frame.listed import joined
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown, saying_why
from pages.views.positions import controls
from viz.charts.curves import Chart, Quantity, curves
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

FORMULA = r"""
\begin{pmatrix} \sin \omega_i (p + k) \\ \cos \omega_i (p + k) \end{pmatrix} =
\begin{pmatrix} \cos \omega_i k & \sin \omega_i k \\
    -\sin \omega_i k & \cos \omega_i k \end{pmatrix}
\begin{pmatrix} \sin \omega_i p \\ \cos \omega_i p \end{pmatrix},
\qquad \omega_i = base^{-2i/d_{model}}
"""


@saying_why(ConfigError)
def draw(opened: Opened) -> Shown:
    """Draw the matrix, and one position before and after it."""
    with controls.row():
        settings = controls.sinusoids(opened)
        position = controls.position()
        shift = amount(_("Shift k"), "pe_k", 5, help_text=_("Below 0: to the left."))
        wanted = amount(_("Dimensions"), "pe_shown", 8, help_text=_("So many are shown."))
    made = settings()
    found = positions.rotation(made, position, shift)
    n = max(2, min(wanted, made.d_model))
    left, right = st.columns([3, 2], gap="large")
    with left:
        pictures = [matrices(_matrices(found, position, shift, n), key="pe_rotation")]
    with right:
        pictures.append(chart(_angles(found, shift)))
    st.caption(_said(found, made, n))
    title = _("M for k = {k}: a rotation for each pair").format(k=number(shift))
    return Shown(
        name="rotation",
        title=title,
        numbers=lambda: _numbers(found, n),
        seen=_seen(found, shift),
        python=_python(made, position, shift, n),
        code=[positions.rotation, timescales],
        pictures=pictures,
        formula=FORMULA,
        tries=[
            _("k = 0: the identity. k = −5: the transpose of k = 5, which turns back."),
            _("Another position: M stays as it is."),
            _("k beyond the table: the formula goes on, a learned table would end."),
        ],
    )


def _seen(found: positions.Rotation, shift: int) -> str:
    """Say by which angles the first and the last pair turn."""
    first, last = (controls.short(each) for each in found.degrees_E[[0, -1]])
    return _(
        "One matrix M turns every position into the one {k} places on, **wherever the word "
        "stands**: of the three columns beside it the last two are equal. The first pair of "
        "dimensions turns by **{first}°**, the last by **{last}°**."
    ).format(k=number(shift), first=first, last=last)


def _angles(found: positions.Rotation, shift: int) -> Chart:
    return curves(
        {_("turned by"): found.degrees_E.tolist()},
        x=Quantity(_("pair of dimensions")),
        y=Quantity(_("degrees")),
        title=_("How far each pair turns, k = {k}").format(k=number(shift)),
    )


def _matrices(found: positions.Rotation, position: int, shift: int, n: int) -> Matrices:
    """Return the first n dimensions of M and of the vectors that it turns."""
    places = number(position), number(position + shift)
    names = (f"PE({places[0]})", f"M PE({places[0]})", f"PE({places[1]})")
    rows = numbered(_("dimension"), n)
    return Matrices(
        panels=[
            Matrix(
                title=_("M for k = {k}: a rotation for each pair").format(k=number(shift)),
                values=found.matrix_DD[:n, :n].astype(np.float32),
                rows=rows,
                columns=rows,
                scale="signed",
                value_name=_("entry of M"),
            ),
            Matrix(
                title=_("Position {p}, turned").format(p=places[0]),
                values=_vectors(found)[:n].astype(np.float32),
                rows=rows,
                columns=Axis(
                    name=_("before, turned, by the formula"),
                    labels=tuple(TokenLabel(name) for name in names),
                ),
                scale="signed",
                value_name=_("value"),
            ),
        ]
    )


def _vectors(found: positions.Rotation) -> Array:
    return np.stack([found.before_D, found.after_D, found.wanted_D], axis=1)


def _said(found: positions.Rotation, made: Sinusoids, shown: int) -> str:
    said = [
        n_(
            "M PE(p) equals PE(p + k) for the {n} position up to {x}.",
            "M PE(p) equals PE(p + k) for all {n} positions up to {x}.",
            made.length,
        ).format(n=number(made.length), x=controls.short(found.error)),
    ]
    if found.outside:
        said.append(
            _(
                "{n} of them are taken beyond the table (0 to {last}): only a formula has values "
                "there."
            ).format(n=number(found.outside), last=number(made.length - 1))
        )
    if shown < made.d_model:
        said.append(_("Dimensions 0 to {n} are shown.").format(n=number(shown - 1)))
    return joined(said)


def _numbers(found: positions.Rotation, n: int) -> Columns:
    """Return M entry by entry, the vectors by dimension, and the largest error."""
    rows, columns = np.indices((n, n)).reshape(2, -1).tolist()
    entries = found.matrix_DD[:n, :n].reshape(-1).tolist()
    before, turned, by_formula = _vectors(found)[:n].T.tolist()
    vectors: Columns = {
        "dimension": range(n),
        "before": before,
        "turned": turned,
        "by_formula": by_formula,
    }
    matrix: Columns = {"row": rows, "column": columns, "entry": entries}
    degrees: Columns = {"pair": range(len(found.degrees_E)), "degrees": found.degrees_E.tolist()}
    return stacked(matrix, vectors, {"largest_error": [found.error]}, degrees)


def _python(made: Sinusoids, position: int, shift: int, n: int) -> str:
    imports = snippets.importing(
        "from core.studies.lessons.positions import rotation",
        "from core.studies.lessons.positions import Sinusoids",
    )
    return imports + "\n".join(
        [
            "",
            f"found = rotation({controls.as_python(made)}, {position}, {shift})",
            f"numbers = [found.matrix_DD[:{n}, :{n}]]",
            f"numbers += [found.before_D[:{n}], found.after_D[:{n}], found.wanted_D[:{n}]]",
            "numbers += [found.error, found.degrees_E]",
            "",
        ]
    )
