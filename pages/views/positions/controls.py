"""What the views of the lesson about positions ask for, and where they refuse what cannot be."""

import math
from collections.abc import Callable

import streamlit as st

from core.studies.lessons.positions import LONGEST, WIDEST, Sinusoids
from pages.frame import controls
from pages.frame.language import _, number
from pages.frame.opening import Opened

BASES = (1, 10, 100, 1000, 10_000, 100_000)
DEFAULT_LENGTH, DEFAULT_BASE, DEFAULT_POSITION = 50, 10_000, 20


def row() -> st.delta_generator.DeltaGenerator:
    """Return the row in which a view's controls stand."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="small")


def width_and_base(opened: Opened) -> tuple[int, int]:
    """Ask for d_model and for the base of the wavelengths.

    By default d_model is that of the run, or the nearest that sinusoids can have.
    """
    own = opened.run.settings.model.d_model
    usual = min(own + own % 2, WIDEST)
    width = controls.amount("d_model", "pe_d_model", usual, help_text=_up_to(WIDEST))
    base = controls.selection(
        _("Base"),
        "pe_base",
        {each: number(each) for each in BASES},
        DEFAULT_BASE,
        width=130,
        help_text=_("The paper has 10,000; a larger base makes the slow waves slower."),
    )
    return width, base


def length(usual: int = DEFAULT_LENGTH) -> int:
    """Ask for the number of positions."""
    # What was typed stays from one view to the other, though they begin with different ones.
    return controls.amount(
        _("Length"), "pe_length", usual, help_text=_up_to(LONGEST), of="positions"
    )


def sinusoids(opened: Opened) -> Callable[[], Sinusoids]:
    """Ask for a whole table; what is returned makes it, once all controls are drawn."""
    width, base = width_and_base(opened)
    n_positions = length()
    return lambda: Sinusoids(width, n_positions, base)


def position() -> int:
    """Ask for one position."""
    return controls.amount(_("Position"), "pe_pos", DEFAULT_POSITION)


def short(value: float) -> str:
    r"""Write three significant digits, and a large number without an exponent.

    >>> short(6.2832), short(62831.9), short(2.2e-16), short(0.0)
    ('6.28', '62,800', '2.2e−16', '0')
    """
    if abs(value) < 1000:
        return number(value, padded=False)
    return number(int(round(value, 2 - math.floor(math.log10(abs(value))))))


def as_python(made: Sinusoids) -> str:
    """Return a table's settings as Python writes them."""
    return f"Sinusoids({made.d_model}, {made.length}, {made.base})"


def _up_to(largest: int) -> str:
    return _("Up to {n}.").format(n=number(largest))
