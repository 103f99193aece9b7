"""The dot product of one sinusoidal position with all others, and of all with all."""

import numpy as np
import streamlit as st

from core.config import ConfigError
from core.model.positional import exact_sinusoids
from core.studies.lessons import positions
from pages.frame import snippets
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.files import stacked
from pages.frame.language import _, number
from pages.frame.listed import joined
from pages.frame.opening import Opened
from pages.frame.rounding import TINY, bound
from pages.frame.view import Columns, Shown, saying_why
from pages.views.positions import controls
from viz.charts.curves import Chart, Quantity, Rule, curves
from viz.plane.matrices import Matrices, Matrix, numbered


@saying_why(ConfigError)
def draw(opened: Opened) -> Shown:
    """Draw the curve of one position, beside the map of all."""
    with controls.row():
        settings = controls.sinusoids(opened)
        position = controls.position()
    made = settings()
    found = positions.dot_products(made.encodings(), position)
    left, right = st.columns([5, 4])
    with left:
        pictures = [chart(_curve(found, position))]
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
        shown = Matrices(panels=[whole], selected=(0, position, position))
        pictures.append(matrices(shown, key="pe_dots"))
    return Shown(
        name="dot-products",
        title=_("The dot products of sinusoidal positions"),
        numbers=lambda: _numbers(found, position),
        seen=_said(found, position),
        python=snippets.importing(
            "from core.studies.lessons.positions import dot_products",
            "from core.studies.lessons.positions import Sinusoids",
        )
        + f"\nfound = dot_products({controls.as_python(made)}.encodings(), {position})\n"
        + "numbers = [found.products_PP, found.curve_P, found.spread]\n",
        code=[positions.dot_products, exact_sinusoids],
        pictures=pictures,
        formula=r"\mathrm{PE}(p) \cdot \mathrm{PE}(p + k) = "
        r"\sum_{i} \cos\frac{k}{base^{\,2i/d_{model}}}"
        r"\qquad \mathrm{PE}(p) \cdot \mathrm{PE}(p) = \frac{d_{model}}{2}",
        tries=[
            _("Another position: the curve moves and keeps its form."),
            _("d_model 2: a single cosine, so that places about 2π apart look alike."),
            _("Attention multiplies by W^Q and W^K first: these can tell left from right."),
        ],
    )


def _curve(found: positions.DotProducts, position: int) -> Chart:
    return curves(
        {_("dot product"): found.curve_P.tolist()},
        x=Quantity(_("position q")),
        y=Quantity(_("PE({p}) · PE(q)").format(p=number(position))),
        title=_("Position {p}: left and right look alike").format(p=number(position)),
        rules=[Rule(position, _("itself"))],
    )


def _said(found: positions.DotProducts, position: int) -> str:
    if found.asymmetry is None:
        said = _("Position **{p}** has neighbours on one side only.").format(p=number(position))
    else:
        said = _(
            "Seen from position **{p}**, the dot product k places to the left and to the right "
            "differs by less than **{x}**: it does not tell left from right."
        ).format(p=number(position), x=_above(found.asymmetry))
    spread = _("The same distance gives the same everywhere, within {x}.")
    return joined([said, spread.format(x=_above(found.spread))])


def _above(difference: float) -> str:
    """Return what a difference is smaller than: what rounding leaves has no name of its own."""
    return bound(max(difference, TINY / 2))


def _numbers(found: positions.DotProducts, position: int) -> Columns:
    """Return the map cell by cell, the curve by distance, and what was measured of both."""
    rows, columns = np.indices(found.products_PP.shape).reshape(2, -1).tolist()
    products = found.products_PP.reshape(-1).tolist()
    places = range(len(found.curve_P))
    curve: Columns = {
        "q": places,
        "distance": [place - position for place in places],
        "curve": found.curve_P.tolist(),
    }
    measured = {"largest_difference_within_a_diagonal": [found.spread]}
    if found.asymmetry is not None:
        measured["largest_difference_of_left_and_right"] = [found.asymmetry]
    return stacked({"row": rows, "column": columns, "dot_product": products}, curve, measured)
