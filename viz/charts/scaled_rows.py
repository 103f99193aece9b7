"""Rows of different units beside each other."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def scaled_rows(values: ArrayLike) -> NDArray[np.float32]:
    """Return each row divided by its largest magnitude; a row of zeros stays one.

    >>> scaled_rows([[1.0, -4.0], [0.0, 0.0]]).tolist()
    [[0.25, -1.0], [0.0, 0.0]]
    """
    exact = np.asarray(values, dtype=np.float64)
    largest = np.abs(exact).max(axis=1, keepdims=True)
    return (exact / np.where(largest == 0, 1.0, largest)).astype(np.float32)
