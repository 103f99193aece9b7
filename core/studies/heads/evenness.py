"""How far a head's weights are from pointing at anything.

Q queries, K keys.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.floating[Any]]
Numbers = NDArray[np.float64]


def evenness(weights_QK: Weights, even_QK: Numbers) -> float:
    """Return the entropy of the rows as a share of the largest possible, averaged.

    1 means that every row is as even as it can be, 0 that every row looks at one token. Rows that
    may see fewer than two keys have no choice and do not count; without any other row the result
    is 0.

    Args:
        weights_QK: A map.
        even_QK: The same without a preference, as `core.inspection.SiteAttention` has it.

    >>> everything = np.full((1, 4), 0.25)
    >>> evenness(everything, everything)
    1.0
    >>> evenness(np.eye(1, 4), everything)
    0.0
    """
    chosen_Q = (even_QK > 0).sum(axis=-1) > 1
    weights_QK, even_QK = weights_QK[chosen_Q].astype(np.float64), even_QK[chosen_Q]
    if not len(weights_QK):
        return 0.0
    return float(share_of_largest(entropies(weights_QK), weights_QK, even_QK).mean())


def entropies(weights_QK: Weights) -> Numbers:
    """Return the entropy of each row in bits; maps of several heads have rows of each head."""
    logarithms_QK = np.log2(weights_QK, out=np.zeros_like(weights_QK), where=weights_QK > 0)
    logarithms_QK *= weights_QK
    # Rounding must not make a negative number of bits out of none.
    return np.maximum(-logarithms_QK.sum(axis=-1, dtype=np.float64), 0.0)


def share_of_largest(entropies_Q: Numbers, weights_QK: Weights, even_QK: Numbers) -> Numbers:
    """Return entropies as shares of the largest possible, which even rows have.

    A key that gets n times as much of an even row as the least key counts as n keys alike: a word
    of n tokens. So the entropy is that between tokens, where each word's weight is spread evenly
    over its own; where all keys count alike, as tokens do, it is `entropies_Q` itself.

    Args:
        entropies_Q: From `entropies`.
        weights_QK: Rows of two visible keys or more; of one head, or of each of several.
        even_QK: The same without a preference.
    """
    least_Q1 = np.where(even_QK > 0, even_QK, 1).min(axis=-1, keepdims=True)
    bits_QK = np.log2(np.maximum(even_QK, least_Q1) / least_Q1)
    within_Q = np.einsum("...qk,qk->...q", weights_QK, bits_QK)
    return (entropies_Q + within_Q) / -np.log2(least_Q1[:, 0])
