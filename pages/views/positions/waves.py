"""The views of one table of sinusoids: its waves, its map, its numbers."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from core.analysis.lessons import positions
from core.model.positional import exact_sinusoids, sinusoids, timescales
from pages.frame import lesson
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.lesson import Explanation
from pages.frame.opening import Opened
from pages.frame.text import _
from pages.views.positions import controls
from pages.views.positions.controls import short
from viz.charts.curves import Quantity, curves
from viz.plane.matrices import Matrices, Matrix, numbered

FORMULA = r"""
\mathrm{PE}(pos, 2i) = \sin\frac{pos}{base^{\,2i/d_{model}}} \qquad
\mathrm{PE}(pos, 2i + 1) = \cos\frac{pos}{base^{\,2i/d_{model}}} \qquad
\lambda_i = 2\pi\, base^{\,2i/d_{model}}
"""
ROWS_LISTED = 8
"""So many dimensions stand in a table; the numbers to take away are all of them."""
ROWS_DRAWN = 1800
"""A chart of more points than this would be slow."""
SOURCE: list[Callable[..., object] | type] = [sinusoids, exact_sinusoids, timescales]


@controls.saying_why
def waves(opened: Opened) -> None:
    """Draw some dimensions as curves over the positions."""
    with controls.row():
        settings = controls.sinusoids(opened)
        first = controls.number(_("First dimension"), "pe_first", 0)
        every = controls.number(_("Then every"), "pe_every", 8)
        count = controls.number(_("Curves"), "pe_curves", 4, _("From 1 to 8."))
    made = settings()
    shown = positions.chosen_dimensions(made.d_model, first, every, count)
    table_PD, wavelengths_D = made.table(), made.wavelengths()
    drawn = min(made.length, ROWS_DRAWN // len(shown))
    series = {
        _("dimension {d}, λ {length}").format(d=d, length=short(wavelengths_D[d])): table_PD[:, d]
        for d in shown
    }
    title = _("The higher the dimension, the slower its wave (λ in positions)")
    chart(
        curves(
            {name: values[:drawn].tolist() for name, values in series.items()},
            x=Quantity(_("position")),
            y=Quantity(_("value of the dimension")),
            title=title,
        )
    )
    if drawn < made.length:
        st.caption(_("The first {n} positions are drawn; the file has all.").format(n=drawn))
    columns = {name: values.tolist() for name, values in series.items()}
    lesson.numbers("waves", {_("position"): range(made.length), **columns})
    lesson.explained(
        Explanation(
            formula=FORMULA,
            tries=[
                _("First dimension 0, then every 1, two curves: sine and cosine of one λ."),
                _("Base 10: even the slowest wave comes round in less than 63 positions."),
                _("Base 1: all dimensions have the same wavelength, 2π."),
            ],
            code=[*SOURCE, positions.Sinusoids],
        )
    )


@controls.saying_why
def table(opened: Opened) -> None:
    """Draw the whole table as a map."""
    with controls.row():
        settings = controls.sinusoids(opened)
    made = settings()
    matrices(
        Matrices(
            panels=[
                Matrix(
                    title=_("Every position has a row of its own"),
                    values=made.table().astype(np.float32),
                    rows=numbered(_("position"), made.length),
                    columns=numbered(_("dimension: even sin, odd cos"), made.d_model),
                    scale="signed",
                    value_name=_("value"),
                )
            ]
        ),
        key="pe_map",
    )
    lesson.explained(
        Explanation(
            formula=FORMULA,
            tries=[
                _("d_model 8, length 20: small enough to read every number."),
                _("Length 512: even then no row comes again."),
                _("Base 10: the right half begins to move; base 100000: most of it stands still."),
            ],
            code=SOURCE,
        )
    )


@controls.saying_why
def check(opened: Opened) -> None:
    """Compute the known example beside its printed values, and any other position."""
    with controls.row():
        width, base = controls.width_and_base(opened)
        position = controls.number(_("Position"), controls.POSITION, controls.DEFAULT_POSITION)
        first = controls.number(_("First dimension"), "pe_first", 0)
    left, right = st.columns(2)
    with left:
        _printed()
    with right:
        found = positions.dimensions(positions.Sinusoids(width, 1, base), position)
        st.markdown(
            _("**PE({p})** for d_model {d}, base {base}").format(p=position, d=width, base=base)
        )
        columns = _columns(found, position, width, base)
        first = max(0, min(first, width - ROWS_LISTED))
        _listed({name: of[first : first + ROWS_LISTED] for name, of in columns.items()})
        lesson.numbers("position", columns)
    lesson.explained(
        Explanation(
            formula=FORMULA,
            tries=[
                _("Position 0: every sine is 0, every cosine 1."),
                _("d_model 7: refused, as the last sine would have no cosine."),
            ],
            code=[positions.dimensions, exact_sinusoids],
        )
    )


def _printed() -> None:
    width, position = positions.CHECK_WIDTH, positions.CHECK_POSITION
    found = positions.dimensions(positions.Sinusoids(width, 1), position)
    agreeing = positions.agreeing(found, positions.CHECK_PRINTED)
    st.markdown(
        _("**PE({p})** for d_model {d}: {n} of {d} agree with the printed digits").format(
            p=position, d=width, n=agreeing
        )
    )
    columns = _columns(found, position, width, 10_000)
    listed = {name: columns[name] for name in ("dimension", "formula", "value")}
    _listed(listed | {"printed": list(positions.CHECK_PRINTED)})


def _listed(columns: dict[str, list[object]]) -> None:
    """Write a table with as many digits as can be read."""
    formats = {"angle": "{:.6f}", "value": "{:.6f}", "wavelength": "{:.4g}"}
    st.table(
        {name: [formats.get(name, "{}").format(one) for one in of] for name, of in columns.items()},
        border="horizontal",
        hide_index=True,
    )


def _columns(
    found: list[positions.Dimension], position: int, width: int, base: int
) -> dict[str, list[object]]:
    return {
        "dimension": [one.index for one in found],
        "formula": [
            f"{one.function}({position} / {base}^({one.index // 2 * 2}/{width}))" for one in found
        ],
        "angle": [one.angle for one in found],
        "value": [one.value for one in found],
        "wavelength": [one.wavelength for one in found],
    }
