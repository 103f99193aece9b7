"""How far a head's weights are from pointing at anything.

Q queries, K keys.
"""

import numpy as np
from numpy.typing import NDArray


def evenness(weights_QK: NDArray[np.float32], visible_QK: NDArray[np.bool_]) -> float:
    """Return the entropy of the rows as a share of the largest possible, averaged.

    1 means that every row is uniform over the keys that it may see, 0 that every row looks at one
    key. Rows that may see fewer than two keys have no choice and do not count; without any other
    row the result is 0.

    >>> everything = np.ones((1, 4), dtype=bool)
    >>> evenness(np.full((1, 4), 0.25, np.float32), everything)
    1.0
    >>> evenness(np.eye(1, 4, dtype=np.float32), everything)
    0.0
    """
    choices_Q = visible_QK.sum(axis=-1)
    weights = weights_QK[choices_Q > 1].astype(np.float64)
    if not len(weights):
        return 0.0
    logarithms = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    entropies_Q = -(weights * logarithms).sum(axis=-1)
    return float((entropies_Q / np.log(choices_Q[choices_Q > 1])).mean())
