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
    return _checked(weights_HQK).mean(axis=0, dtype=np.float64).astype(np.float32)


def largest_of_heads(weights_HQK: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return weights_QK, the largest weight that any head has there: rows need not sum to 1.

    >>> largest_of_heads(np.array([[[1.0, 0.0]], [[0.5, 0.5]]], np.float32)).tolist()
    [[1.0, 0.5]]
    """
    return _checked(weights_HQK).max(axis=0)


def heads_of_all_layers(layers_LHQK: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return weights_HQK with the heads of every layer, those of layer 0 first.

    Raises:
        ValueError: There is no layer, or the layers' maps differ in shape.
    """
    shapes = {weights_HQK.shape[1:] for weights_HQK in layers_LHQK}
    if len(shapes) != 1:
        raise ValueError(f"layers need maps of one shape, got {sorted(shapes)}")
    return np.concatenate(layers_LHQK)


def _checked(weights_HQK: NDArray[np.float32]) -> NDArray[np.float32]:
    if weights_HQK.ndim != 3 or len(weights_HQK) == 0:
        raise ValueError(f"weights need (heads, queries, keys), got {weights_HQK.shape}")
    return weights_HQK
