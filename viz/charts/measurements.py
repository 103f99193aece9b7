"""What is measured in a training, made ready for a chart: few points, and its axes."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ..messages import N_
from .curves import Quantity

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


def points(rows: Rows, key: str, n: int = POINTS, *, log_x: bool = False) -> list[dict[str, float]]:
    """Return where a line goes: x and y, thinned; what has no place on the axes is left out."""
    log_y = key not in (*SHARES, *SCORES)
    measured = [
        (row["step"], row[key])
        for row in rows
        if _placed(row, "step", log=log_x) and _placed(row, key, log=log_y)
    ]
    xs, ys = [x for x, _ in measured], [y for _, y in measured]
    return [{"x": xs[i], "y": ys[i]} for i in thinned_indices(xs, ys, n, log=log_x)]


def _placed(row: Mapping[str, float], key: str, *, log: bool) -> bool:
    return key in row and math.isfinite(row[key]) and (row[key] > 0 or not log)


def upwards(key: str, texts: Mapping[str, str]) -> Quantity:
    """Return the y axis of a quantity: a loss falls by powers of ten."""
    if key in SHARES:
        return Quantity(texts[key], share=True)
    if key in SCORES:
        return Quantity(texts[key], domain=(0.0, 100.0))
    return Quantity(texts[key], log=True)
