"""What is measured in a training, made ready for a chart: few points, and axes that stay."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from viz.charts.curves import Quantity
from viz.messages import N_

Rows = Sequence[Mapping[str, float]]
"""Measurements in the order in which they were made; what was not measured is not there."""

POINTS = 400
"""A line has at most this many points: more than a screen can show apart."""
SHARES = ("held_out_exact_match", "held_out_token_accuracy")
"""Measured from 0 to 1."""
SCORES = ("held_out_bleu", "held_out_bleu_zh", "held_out_bleu_char", "held_out_chrf")
"""Measured from 0 to 100."""

# Every word of the charts. A page may hand over its own.
TEXTS: Mapping[str, str] = {
    "step": N_("step"),
    "either_loss": N_("loss"),
    "loss": N_("training loss"),
    "guide_loss": N_("guide loss"),
    "held_out_loss": N_("held-out loss"),
    "quality": N_("held-out pairs"),
    "held_out_exact_match": N_("exact match"),
    "held_out_token_accuracy": N_("right tokens"),
    "held_out_bleu": N_("BLEU"),
    "held_out_bleu_zh": N_("BLEU (characters)"),
    "held_out_bleu_char": N_("BLEU (characters)"),
    "held_out_chrf": N_("chrF"),
}

# Where an axis may end, so that it seldom has to move while values come.
_ENDS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_LOG_ENDS = (1.0, 2.0, 5.0, 10.0)
_SMALLEST = 1e-300


@dataclass(frozen=True, slots=True)
class Axes:
    """How the axes are drawn; what a logarithmic axis has no place for is left out."""

    log_x: bool = False
    log_y: bool = False
    """Of a loss; shares and scores always go from nothing to all."""
    end: float | None = None
    """How far x goes at least, as the planned number of steps."""


AXES = Axes()


def thinned_indices(
    xs: Sequence[float], ys: Sequence[float], n: int = POINTS, *, log: bool = False
) -> list[int]:
    """Return which points to draw, so chosen that the line through them looks the same.

    Kept are the first and the last, and the lowest and the highest of each of n / 2 - 1 equally
    wide stretches of the axis. Up to n points stay as they are.

    Args:
        xs: Where the points stand.
        ys: Their values; finite.
        n: At least 2.
        log: True for a logarithmic axis; xs are positive then.

    >>> thinned_indices([0, 1, 2, 3, 4], [5, 9, 5, 1, 5], 4)
    [0, 1, 3, 4]
    """
    if len(xs) <= n:
        return list(range(len(xs)))
    positions, values = np.asarray(xs, np.float64), np.asarray(ys, np.float64)
    if log:
        positions = np.log(positions)
    stretches = n // 2 - 1
    span = (positions.max() - positions.min()) or 1.0
    stretch = np.minimum((positions - positions.min()) / span * stretches, stretches - 1).astype(
        int
    )
    indices = {0, len(xs) - 1}
    for each in np.unique(stretch) if stretches else ():
        members = np.flatnonzero(stretch == each)
        indices |= {int(members[values[members].argmin()]), int(members[values[members].argmax()])}
    return sorted(indices)


def steady(
    values: Iterable[float], *, log: bool = False, end: float | None = None
) -> tuple[float, float]:
    """Return from where to where an axis goes: to round numbers, which values seldom cross.

    Args:
        values: What must be seen; a logarithmic axis leaves out what is not positive.
        log: True for a logarithmic axis; others begin at 0 unless a value is negative.
        end: How far the axis goes where no value is beyond.

    >>> steady([10, 4980], end=5000), steady([7.7, 0.0013], log=True)
    ((0.0, 5000), (0.001, 10.0))
    """
    finite = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
    low, high = min(finite, default=1.0 if log else 0.0), max(finite, default=0.0)
    top = end if end is not None and high <= end else _beyond(high, _LOG_ENDS if log else _ENDS)
    if log:
        # What is smaller has no reciprocal.
        bottom = 1 / _beyond(1 / max(low, _SMALLEST), _LOG_ENDS)
        return bottom, top if top > bottom else 10 * bottom
    bottom = -_beyond(-low, _ENDS) if low < 0 else 0.0
    return bottom, top if top > bottom else bottom + 1.0


def _beyond(value: float, ends: Sequence[float]) -> float:
    if value <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    # Not one further for what is only rounding.
    return next((end * power for end in ends if end * power >= value * (1 - 1e-9)), 10 * power)


def points(rows: Rows, key: str, axes: Axes, n: int = POINTS) -> list[dict[str, float]]:
    """Return where a line goes: x and y, thinned; what has no place on the axes is left out."""
    log_y = axes.log_y and key not in (*SHARES, *SCORES)
    measured = [
        (row["step"], row[key])
        for row in rows
        if _placed(row, "step", log=axes.log_x) and _placed(row, key, log=log_y)
    ]
    xs, ys = [x for x, _ in measured], [y for _, y in measured]
    return [{"x": xs[i], "y": ys[i]} for i in thinned_indices(xs, ys, n, log=axes.log_x)]


def _placed(row: Mapping[str, float], key: str, *, log: bool) -> bool:
    return key in row and math.isfinite(row[key]) and (row[key] > 0 or not log)


def along(runs: Iterable[Rows], axes: Axes, texts: Mapping[str, str]) -> Quantity:
    """Return the x axis that all these runs fit on."""
    positions = (row["step"] for rows in runs for row in rows if "step" in row)
    domain = steady(positions, log=axes.log_x, end=axes.end)
    return Quantity(texts["step"], log=axes.log_x, domain=domain)


def upwards(values: Iterable[float], key: str, axes: Axes, texts: Mapping[str, str]) -> Quantity:
    """Return the y axis of a quantity."""
    if key in SHARES:
        return Quantity(texts[key], share=True)
    if key in SCORES:
        return Quantity(texts[key], domain=(0.0, 100.0))
    return Quantity(texts[key], log=axes.log_y, domain=steady(values, log=axes.log_y))
