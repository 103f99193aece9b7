"""What the cells of the grid of heads say: which heads are off, and what silencing each costs."""

from collections.abc import Iterable

from core.analysis.effects.effect_maps import Figure
from core.analysis.effects.head_effects import HeadEffects
from core.evaluate.intervals import Difference
from pages.frame.text import _
from pages.views.heads.cell_numbers import brief
from viz.charts.number_tables import three_digits

OFF = _("off")
"""In the cell of a head that is silenced."""
UNSURE = "·"
"""In the cell of a head of which no change was found."""
POINTS = 100
"""Percentage points: what a change of a share is said in."""
_LARGE = 9.95
"""Points from which on a cell has no room for a tenth of one."""
BESIDE = 8
"""A grid of more heads needs the whole width, or there is no room for its marks."""
_ROOMY = frozenset({*range(1, 7), *range(BESIDE + 1, 17)})
"""So many heads leave room for more than `OFF`: up to six beside a sentence, sixteen above it."""


def word(found: Difference | None, by: Figure) -> str:
    """Return what stands in the cell of a head that speaks.

    Args:
        found: What silencing it changes; None where that was not measured.
        by: Of which figure.
    """
    if found is None:
        return ""
    if not found.is_sure:
        return UNSURE
    if by == "loss":
        return brief(found.change)
    points = POINTS * found.change
    return f"{points:.{0 if abs(points) >= _LARGE else 1}f}".replace("-", "−")


def width(words: Iterable[str], n_heads: int) -> int:
    """Return how many letters wide cells are whose heads may be silenced: an odd number.

    >>> width(["·", "−9.5"], 4), width(["", ""], 4)
    (5, 3)
    """
    if n_heads not in _ROOMY:
        return len(OFF)
    return max(len(each) for each in (OFF, *words)) | 1


def filled(word: str, width: int) -> str:
    """Return a word or a mark as wide as the cells, so that nothing moves when a head is silenced.

    Numbers stay as they are: they have the width already, or are written smaller.
    """
    return f"{word:\u00a0^{width}}" if word in ("", OFF, UNSURE) else word


def detail(found: Difference | None, by: Figure, *, off: bool) -> str:
    """Return how sure the change is, and whether the head is silent, for whoever points there."""
    if found is None:
        return OFF if off else ""
    unit = 1 if by == "loss" else POINTS
    said = _("95\u00a0% from {low} to {high}, n = {n}").format(
        low=three_digits(unit * found.low), high=three_digits(unit * found.high), n=found.n
    )
    if not found.is_sure:
        said = _("{interval}: no change found").format(interval=said)
    return _("{off}; {rest}").format(off=OFF, rest=said) if off else said


def cell(by: Figure | None) -> str:
    """Return the line that names a cell and its value, to be filled in."""
    if by is None:
        return _("layer {row}, head {column}: {value}")
    if by == "loss":
        return _("layer {row}, head {column}: {value} nats per token")
    return _("layer {row}, head {column}: {value} points")


def how_to_read(effects: HeadEffects, by: Figure) -> str:
    """Return what the cells are about, on how many samples, and what their marks mean."""
    unit = _("in nats per token") if by == "loss" else _("in points")
    on = _("{n} held-out sentences").format(n=effects.n)
    pronoun = effects.heads[0].pronoun
    if by == "pronoun" and pronoun is not None:
        text = _("{n} ambiguous pronouns of {sentences}")
        on = text.format(n=pronoun.n, sentences=on)
    return _(
        "What silencing a head changes, {unit}, on {on} (seed {seed}). “{unsure}”: its 95\u00a0% "
        "interval includes 0. A click takes a head away ({off})."
    ).format(unit=unit, on=on, seed=effects.seed, unsure=UNSURE, off=OFF)
