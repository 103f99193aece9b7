"""Rank correlation of two lists of numbers."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import spearmanr


def rank_correlation(one: ArrayLike, other: ArrayLike) -> float | None:
    """Return Spearman's ρ: 1 for the same order, −1 for the opposite one, 0 for no relation.

    Returns:
        None if all values of a list are equal, as they have no order.

    >>> rank_correlation([1, 2, 3], [10, 20, 25]), rank_correlation([1, 2, 3], [5, 5, 5])
    (1.0, None)
    """
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(spearmanr(one, other).statistic)
