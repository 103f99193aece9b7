"""Many heads' maps as one: their mean, or the largest weight of each cell.

H heads, Q queries, K keys, L layers.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def mean_of_heads(weights_HQK: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return weights_QK, the mean over the heads: rows that sum to 1 in each head still do.

    >>> mean_of_heads(np.array([[[1.0, 0.0]], [[0.5, 0.5]]], np.float32)).tolist()
    [[0.75, 0.25]]
    """
    # Added up in 64 bits, so that the order of the heads makes no difference worth the name.
    return weights_HQK.mean(axis=0, dtype=np.float64).astype(np.float32)


def largest_of_heads(weights_HQK: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return weights_QK, the largest weight that any head has there: rows need not sum to 1.

    >>> largest_of_heads(np.array([[[1.0, 0.0]], [[0.5, 0.5]]], np.float32)).tolist()
    [[1.0, 0.5]]
    """
    return weights_HQK.max(axis=0)


def heads_of_all_layers(layers_LHQK: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return weights_HQK with the heads of every layer, those of layer 0 first.

    >>> heads_of_all_layers([np.zeros((1, 2, 3), np.float32), np.ones((4, 2, 3), np.float32)]).shape
    (5, 2, 3)
    """
    return np.concatenate(layers_LHQK)
