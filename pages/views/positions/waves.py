"""Some dimensions of sinusoidal positions as waves along the sentence."""

from collections.abc import Sequence

import streamlit as st

from core.config import ConfigError
from core.model.positional import exact_sinusoids, sinusoids, timescales
from core.studies.lessons.positions import Sinusoids, chosen_dimensions
from pages.frame import snippets
from pages.frame.charts import chart
from pages.frame.controls import amount
from pages.frame.files import stacked
from pages.frame.language import _, n_, number
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown, saying_why
from pages.views.positions import controls
from pages.views.positions.table import FORMULA
from viz.charts.curves import Chart, Quantity, curves

POINTS_DRAWN = 1800
"""A chart of more points than this would be slow."""


@saying_why(ConfigError)
def draw(opened: Opened) -> Shown:
    """Draw some dimensions as curves over the positions."""
    with controls.row():
        width, base = controls.width_and_base(opened)
        length = controls.length()
        first = amount(_("First dimension"), "pe_first", 0)
        every = amount(_("Then every"), "pe_every", _telling_step(width))
        count = amount(_("Curves"), "pe_curves", 4, help_text=_("From 1 to 8."))
    made = Sinusoids(width, length, base)
    dimensions = chosen_dimensions(made.d_model, first, every, count)
    n_drawn = min(made.length, POINTS_DRAWN // len(dimensions))
    picture = chart(_curves(made, dimensions, n_drawn))
    if n_drawn < made.length:
        said = n_(
            "The first {n} position is drawn; the files have all.",
            "The first {n} positions are drawn; the files have all.",
            n_drawn,
        )
        st.caption(said.format(n=number(n_drawn)))
    return Shown(
        name="waves",
        title=_("Dimensions of sinusoidal positions as waves"),
        numbers=lambda: _numbers(made, dimensions),
        seen=_seen(made, dimensions),
        python=snippets.importing("from core.studies.lessons.positions import Sinusoids")
        + f"\nmade = {controls.as_python(made)}\n"
        + f"dimensions = {dimensions}\n"
        + "numbers = [*made.encodings().T[dimensions], made.wavelengths()[dimensions]]\n",
        code=[sinusoids, exact_sinusoids, timescales, Sinusoids],
        pictures=[picture],
        formula=FORMULA,
        tries=[
            _("First dimension 0, then every 1, two curves: sine and cosine of one λ."),
            _("Base 10: even the slowest wave comes round in less than 63 positions."),
            _("Base 1: all dimensions have the same wavelength, 2π."),
        ],
    )


def _telling_step(width: int) -> int:
    """Return how far apart the curves are at first: all sines, each twice as slow as the last.

    >>> _telling_step(192), _telling_step(8)
    (16, 2)
    """
    return max(2, 2 * (width // 24))


def _seen(made: Sinusoids, dimensions: Sequence[int]) -> str:
    """Say how much slower the last of the waves is than the first."""
    lengths = made.wavelengths()
    first, last = dimensions[0], dimensions[-1]
    if lengths[first] == lengths[last]:
        text = _("Dimension {first} comes round every **{length}** positions.")
    else:
        text = _(
            "Dimension {first} comes round every **{length}** positions, dimension {last} every "
            "**{longest}**: {times} times as long."
        )
    return text.format(
        first=number(first),
        last=number(last),
        length=controls.short(lengths[first]),
        longest=controls.short(lengths[last]),
        times=controls.short(lengths[last] / lengths[first]),
    )


def _curves(made: Sinusoids, dimensions: Sequence[int], n_drawn: int) -> Chart:
    table_PD, wavelengths_D = made.encodings(), made.wavelengths()
    named = _("dimension {d}, λ {length}")
    return curves(
        {
            named.format(d=number(d), length=controls.short(wavelengths_D[d])): table_PD[
                :n_drawn, d
            ].tolist()
            for d in dimensions
        },
        x=Quantity(_("position")),
        y=Quantity(_("value of the dimension")),
        title=_("The higher the dimension, the slower its wave (λ in positions)"),
    )


def _numbers(made: Sinusoids, dimensions: Sequence[int]) -> Columns:
    """Return the waves, one value for each dimension and position, then their lengths."""
    positions = range(made.length)
    waves: Columns = {
        "dimension": [d for d in dimensions for _position in positions],
        "position": [position for _d in dimensions for position in positions],
        "value": made.encodings().T[list(dimensions)].reshape(-1).tolist(),
    }
    wavelengths = made.wavelengths()[list(dimensions)].tolist()
    return stacked(waves, {"dimension": list(dimensions), "wavelength": wavelengths})
