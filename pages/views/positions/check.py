"""The formula of sinusoidal positions by hand: the known example, and any other position."""

from collections.abc import Sequence

import streamlit as st

from core.config import ConfigError
from core.model.positional import exact_sinusoids
from core.studies.lessons import positions
from pages.frame import snippets
from pages.frame.controls import amount
from pages.frame.files import stacked
from pages.frame.language import _, number
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown, saying_why
from pages.views.positions import controls
from pages.views.positions.table import FORMULA

ROWS_LISTED = 8
"""So many dimensions stand in a table; the numbers to take away are all of them."""


@saying_why(ConfigError)
def draw(opened: Opened) -> Shown:
    """Compute the known example beside its printed values, and any other position."""
    with controls.row():
        width, base = controls.width_and_base(opened)
        position = controls.position()
        first = amount(_("First dimension"), "pe_first", 0)
    left, right = st.columns(2)
    with left:
        known, agreeing = _known()
    with right:
        found = positions.dimensions(positions.Sinusoids(width, 1, base), position)
        st.markdown(
            _("**PE({p})** for d_model {d}, base {base}").format(
                p=number(position), d=number(width), base=number(base)
            )
        )
        columns = _columns(found, position, width, base)
        first = max(0, min(first, width - ROWS_LISTED))
        _list({name: of[first : first + ROWS_LISTED] for name, of in columns.items()})
    return Shown(
        name="position",
        title=_("PE({p}) for d_model {d}, base {base}").format(
            p=number(position), d=number(width), base=number(base)
        ),
        numbers=lambda: stacked(known, columns),
        seen=_(
            "The formula, computed here, beside the digits that textbooks print for PE({p}): "
            "**{n}** of {d} values agree."
        ).format(
            n=number(agreeing),
            d=number(positions.CHECK_WIDTH),
            p=number(positions.CHECK_POSITION),
        ),
        python=_python(width, base, position),
        code=[positions.dimensions, exact_sinusoids],
        formula=FORMULA,
        tries=[
            _("Position 0: every sine is 0, every cosine 1."),
            _("d_model 7: refused, as the last sine would have no cosine."),
        ],
    )


def _known() -> tuple[Columns, int]:
    """Show the known example; return its numbers, and how many agree with the printed ones."""
    width, position = positions.CHECK_WIDTH, positions.CHECK_POSITION
    found = positions.dimensions(positions.Sinusoids(width, 1), position)
    agreeing = positions.agreeing(found, positions.CHECK_PRINTED)
    st.markdown(
        _("**PE({p})** for d_model {d}, beside what textbooks print").format(
            p=number(position), d=number(width)
        )
    )
    columns = _columns(found, position, width, controls.DEFAULT_BASE)
    listed = {name: columns[name] for name in ("dimension", "formula", "value")}
    _list(listed | {"printed": positions.CHECK_PRINTED})
    return {**columns, "printed": positions.CHECK_PRINTED}, agreeing


def _list(columns: Columns) -> None:
    """Write a table with as many digits as can be read."""
    heads = {
        "dimension": _("dimension"),
        "formula": _("formula"),
        "angle": _("angle"),
        "value": _("value"),
        "wavelength": _("wavelength"),
        "printed": _("textbook"),
    }
    st.table(
        {heads[name]: [_written(name, each) for each in of] for name, of in columns.items()},
        border="horizontal",
        hide_index=True,
    )


def _written(name: str, value: object) -> str:
    match name, value:
        case "wavelength", float():
            return number(value, significant=4, padded=False)
        case _, float():
            return number(value, 6)
    return str(value)


def _columns(found: Sequence[positions.Dimension], position: int, width: int, base: int) -> Columns:
    return {
        "dimension": [one.index for one in found],
        "formula": [
            f"{one.function}({position} / {base}^({one.index // 2 * 2}/{width}))" for one in found
        ],
        "angle": [one.angle for one in found],
        "value": [one.value for one in found],
        "wavelength": [one.wavelength for one in found],
    }


def _python(width: int, base: int, position: int) -> str:
    imports = snippets.importing(
        "from core.studies.lessons.positions import CHECK_POSITION, CHECK_WIDTH",
        "from core.studies.lessons.positions import Sinusoids, dimensions",
    )
    return imports + "\n".join(
        [
            "",
            "known = dimensions(Sinusoids(CHECK_WIDTH, 1), CHECK_POSITION)",
            f"found = [*known, *dimensions(Sinusoids({width}, 1, {base}), {position})]",
            "numbers = [[each.angle for each in found], [each.value for each in found]]",
            "numbers += [each.wavelength for each in found]",
            "",
        ]
    )
