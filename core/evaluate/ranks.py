"""Rank correlation of two lists of numbers."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Return the rank of each value, the smallest first, from 1; equal ones share their mean rank.

    >>> ranks([0.5, 0.1, 0.5]).tolist()
    [2.5, 1.0, 2.5]
    """
    _, group, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = counts.cumsum()
    return np.asarray((last - (counts - 1) / 2)[group])


def rank_correlation(one: ArrayLike, other: ArrayLike) -> float | None:
    """Return Spearman's ρ: 1 for the same order, −1 for the opposite one, 0 for no relation.

    Pearson's correlation of the ranks, which is also correct with ties.

    Returns:
        None if all values of a list are equal, as they have no order.

    Raises:
        ValueError: The lists differ in length.

    >>> rank_correlation([1, 2, 3], [10, 20, 25]), rank_correlation([1, 2, 3], [5, 5, 5])
    (1.0, None)
    """
    first, second = (each - each.mean() for each in (ranks(one), ranks(other)))
    if first.shape != second.shape:
        raise ValueError(f"cannot compare {len(first)} values with {len(second)}")
    length = np.sqrt((first @ first) * (second @ second))
    if length == 0:
        return None
    # Rounding must not exceed the bounds.
    return float(np.clip(first @ second / length, -1.0, 1.0))
