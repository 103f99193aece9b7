"""What the views of the lesson about positions ask for, and where they refuse what cannot be."""

from collections.abc import Callable
from functools import wraps

import streamlit as st

from core.analysis.lessons.positions import LONGEST, WIDEST, Sinusoids
from core.config import ConfigError
from pages.frame import controls
from pages.frame.opening import Opened
from pages.frame.text import _, plain

BASES = (1, 10, 100, 1000, 10_000, 100_000)
D_MODEL, LENGTH, BASE = "pe_d_model", "pe_length", "pe_base"
POSITION, SHIFT, SEED = "pe_pos", "pe_k", "pe_seed"
DEFAULT_LENGTH, DEFAULT_BASE, DEFAULT_POSITION = 50, 10_000, 20


def saying_why(draw: Callable[[Opened], None]) -> Callable[[Opened], None]:
    """Let a view say what is wrong with a setting in the place of its picture."""

    @wraps(draw)
    def drawn(opened: Opened) -> None:
        try:
            draw(opened)
        except ConfigError as error:
            st.error(plain(str(error)))

    return drawn


def number(label: str, key: str, default: int, help_text: str | None = None) -> int:
    """Ask for a whole number; whatever is entered comes back, so that it can be spoken about."""
    return controls.amount(label, key, default, help_text=help_text)


def width_and_base(opened: Opened) -> tuple[int, int]:
    """Ask for d_model and for the base of the wavelengths.

    By default d_model is that of the run, or the nearest that sinusoids can have.
    """
    own = opened.run.settings.model.d_model
    width = number(_("d_model"), D_MODEL, min(own + own % 2, WIDEST), _upto(WIDEST))
    base = controls.selection(
        _("Base"),
        BASE,
        {each: str(each) for each in BASES},
        DEFAULT_BASE,
        width=130,
        help_text=_("The paper has 10000; a larger base makes the slow waves slower."),
    )
    return width, base


def length() -> int:
    """Ask for the number of positions."""
    return number(_("Length"), LENGTH, DEFAULT_LENGTH, _upto(LONGEST))


def sinusoids(opened: Opened) -> Callable[[], Sinusoids]:
    """Ask for a whole table; what is returned makes it, once all controls are drawn."""
    width, base = width_and_base(opened)
    n_positions = length()
    return lambda: Sinusoids(width, n_positions, base)


def position() -> int:
    """Ask for one position."""
    return number(_("Position"), POSITION, DEFAULT_POSITION)


def seed() -> int:
    """Ask for the seed of a shuffle; the next number is the next shuffle."""
    # No button beside it: a number that a button sets reaches the URL one run late.
    return number(
        _("Shuffle again"), SEED, 0, _("The seed: the same number gives the same order again.")
    )


def row() -> st.delta_generator.DeltaGenerator:
    """Return the row in which a view's controls stand."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="small")


def short(value: float) -> str:
    """Write three significant digits.

    >>> short(6.2832), short(62831.9), short(2.2e-16), short(0.0)
    ('6.28', '62,800', '2.2e-16', '0')
    """
    return f"{float(f'{value:.3g}'):,g}"


def signed(value: int) -> str:
    """Write a whole number with a true minus sign.

    >>> signed(-5), signed(5)
    ('−5', '5')
    """
    return str(value).replace("-", "−")


def _upto(largest: int) -> str:
    return _("Up to {n}.").format(n=largest)
