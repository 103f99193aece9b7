"""The views of two sinusoidal positions: their dot product, and the rotation between them."""

import numpy as np
import streamlit as st

from core.analysis.lessons import position_pairs
from core.analysis.lessons.positions import Sinusoids
from core.model.positional import exact_sinusoids, timescales
from pages.frame import lesson
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.lesson import Explanation
from pages.frame.opening import Opened
from pages.frame.text import _
from pages.views.positions import controls
from pages.views.positions.controls import short, signed
from viz.charts.curves import Quantity, Rule, curves
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

BLOCK = r"""
\begin{pmatrix} \sin \omega_i (p + k) \\ \cos \omega_i (p + k) \end{pmatrix} =
\begin{pmatrix} \cos \omega_i k & \sin \omega_i k \\
    -\sin \omega_i k & \cos \omega_i k \end{pmatrix}
\begin{pmatrix} \sin \omega_i p \\ \cos \omega_i p \end{pmatrix},
\qquad \omega_i = base^{-2i/d_{model}}
"""


@controls.saying_why
def dots(opened: Opened) -> None:
    """Draw the dot product of one position with all others, and of all with all."""
    with controls.row():
        settings = controls.sinusoids(opened)
        position = controls.position()
    made = settings()
    found = position_pairs.dot_products(made.table(), position)
    distances = [other - position for other in range(made.length)]
    left, right = st.columns([5, 4])
    with left:
        chart(
            curves(
                {_("dot product"): found.curve_P.tolist()},
                x=Quantity(_("position q")),
                y=Quantity(_("PE({p}) · PE(q)").format(p=position)),
                title=_("Position {p}: left and right look alike").format(p=position),
                rules=[Rule(position, _("itself"))],
            )
        )
        st.caption(_dots_measured(found, position))
        columns = {"q": range(made.length), "distance": distances}
        lesson.numbers("dot-products", columns | {"dot product": found.curve_P.tolist()})
    with right:
        axis = numbered(_("position"), made.length)
        whole = Matrix(
            title=_("All positions: every diagonal is constant"),
            values=found.products_PP.astype(np.float32),
            rows=axis,
            columns=axis,
            scale="signed",
            limit=made.d_model / 2,
            value_name=_("dot product"),
        )
        matrices(Matrices(panels=[whole], selected=(0, position, position)), key="pe_dots")
    lesson.explained(
        Explanation(
            formula=r"\mathrm{PE}(p) \cdot \mathrm{PE}(p + k) = "
            r"\sum_{i} \cos\frac{k}{base^{\,2i/d_{model}}}"
            r"\qquad \mathrm{PE}(p) \cdot \mathrm{PE}(p) = \frac{d_{model}}{2}",
            tries=[
                _("Another position: the curve moves and keeps its form."),
                _("d_model 2: a single cosine, so that places about 2π apart look alike."),
                _("Attention multiplies by W^Q and W^K first: these can tell left from right."),
            ],
            code=[position_pairs.dot_products, exact_sinusoids],
        )
    )


def _dots_measured(found: position_pairs.DotProducts, position: int) -> str:
    spread = _("Largest difference within a diagonal of the map: {x}.").format(
        x=short(found.spread)
    )
    if found.asymmetry is None:
        return _("Position {p} has neighbours on one side only. ").format(p=position) + spread
    return (
        _("Largest |PE(p)·PE(p + k) − PE(p)·PE(p − k)|: {x}. ").format(x=short(found.asymmetry))
        + spread
    )


@controls.saying_why
def rotation(opened: Opened) -> None:
    """Draw the matrix that takes every position k places on."""
    with controls.row():
        settings = controls.sinusoids(opened)
        position = controls.position()
        shift = controls.number(_("Shift k"), controls.SHIFT, 5, _("Below 0: to the left."))
        wanted = controls.number(_("Dimensions"), "pe_shown", 16, _("So many are shown."))
    made = settings()
    found = position_pairs.rotation(made, position, shift)
    n = max(2, min(wanted, made.d_model))
    names = (f"PE({position})", f"M PE({position})", f"PE({signed(position + shift)})")
    vectors = np.stack([found.before_D, found.after_D, found.wanted_D], axis=1)
    rows = numbered(_("dimension"), n)
    st.caption(_rotation_measured(found, made, n))
    matrices(
        Matrices(
            panels=[
                Matrix(
                    title=_("M for k = {k}: a rotation for each pair").format(k=signed(shift)),
                    values=found.matrix_DD[:n, :n].astype(np.float32),
                    rows=rows,
                    columns=rows,
                    scale="signed",
                    value_name=_("entry of M"),
                ),
                Matrix(
                    title=_("Position {p}, turned").format(p=position),
                    values=vectors[:n].astype(np.float32),
                    rows=rows,
                    columns=Axis(
                        name=_("before, turned, by the formula"),
                        labels=tuple(TokenLabel(name) for name in names),
                    ),
                    scale="signed",
                    value_name=_("value"),
                ),
            ]
        ),
        key="pe_rotation",
    )
    lesson.explained(
        Explanation(
            formula=BLOCK,
            tries=[
                _("k = 0: the identity. k = −5: the transpose of k = 5, which turns back."),
                _("Another position: M stays as it is."),
                _("k beyond the table: the formula goes on, a learned table would end."),
            ],
            code=[position_pairs.rotation, timescales],
        )
    )


def _rotation_measured(found: position_pairs.Rotation, made: Sinusoids, shown: int) -> str:
    said = [
        _("max |M PE(p) − PE(p + k)| over all {n} positions: {x}.").format(
            n=made.length, x=short(found.error)
        )
    ]
    if found.outside:
        said.append(
            _(
                "{n} of them are taken beyond the table (0 to {last}): only a formula has values "
                "there."
            ).format(n=found.outside, last=made.length - 1)
        )
    if shown < made.d_model:
        said.append(_("Dimensions 0 to {n} are shown.").format(n=shown - 1))
    return " ".join(said)
