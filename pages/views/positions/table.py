"""The whole table of sinusoidal positions as a map."""

import numpy as np

from core.config import ConfigError
from core.model.positional import exact_sinusoids, sinusoids, timescales
from core.studies.lessons.positions import Array, closest_rows
from pages.frame import snippets
from pages.frame.components import matrices
from pages.frame.language import _, number
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown, saying_why
from pages.views.positions import controls
from viz.plane.matrices import Matrices, Matrix, numbered

FORMULA = r"""
\mathrm{PE}(pos, 2i) = \sin\frac{pos}{base^{\,2i/d_{model}}} \qquad
\mathrm{PE}(pos, 2i + 1) = \cos\frac{pos}{base^{\,2i/d_{model}}} \qquad
\lambda_i = 2\pi\, base^{\,2i/d_{model}}
"""


@saying_why(ConfigError)
def draw(opened: Opened) -> Shown:
    """Draw a row for each position, a column for each dimension."""
    with controls.row():
        settings = controls.sinusoids(opened)
    made = settings()
    table_PD = made.encodings()
    title = _("Every position has a row of its own")
    panel = Matrix(
        title=title,
        values=table_PD.astype(np.float32),
        rows=numbered(_("position"), made.length),
        columns=numbered(_("dimension: even sin, odd cos"), made.d_model),
        scale="signed",
        value_name=_("value"),
    )
    picture = matrices(Matrices(panels=[panel]), key="pe_map")

    def numbers() -> Columns:
        positions, dimensions = np.indices(table_PD.shape).reshape(2, -1).tolist()
        values = table_PD.reshape(-1).tolist()
        return {"position": positions, "dimension": dimensions, "value": values}

    return Shown(
        name="map",
        title=title,
        numbers=numbers,
        seen=_seen(table_PD),
        python=snippets.importing("from core.studies.lessons.positions import Sinusoids")
        + f"\nnumbers = {controls.as_python(made)}.encodings()\n",
        code=[sinusoids, exact_sinusoids, timescales],
        pictures=[picture],
        formula=FORMULA,
        tries=[
            _("d_model 8, length 20: small enough to read every number."),
            _("Length 512: even then no row comes again."),
            _("Base 10: the right half begins to move; base 100,000: most of it stands still."),
        ],
    )


def _seen(table_PD: Array) -> str:
    """Say which two positions are most alike."""
    found = closest_rows(table_PD)
    if found is None:
        return _("There is one position only, and nothing to tell it from.")
    text = _("Of the {n} rows positions **{p}** and **{q}** are equal: nothing tells them apart.")
    if found.distance:
        text = _(
            "The closest of the {n} rows are **{x}** apart, positions **{p}** and **{q}** for "
            "example: no row comes twice."
        )
    return text.format(
        n=number(len(table_PD)),
        p=number(found.first),
        q=number(found.second),
        x=number(found.distance),
    )
