"""How attention passes information on over several layers, if weights were all there is.

L layers, H heads, S source length, Q queries, K keys; a self-attention's queries are its keys.

Source: Abnar and Zuidema, "Quantifying Attention Flow in Transformers" (2020).
"""

import numpy as np
from numpy.typing import NDArray

RESIDUAL_SHARE = 0.5
"""So much of a position goes on along the residual connection; the rest is attention's."""


def mixing(weights_LHQK: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return mixing_LQK: what each layer passes on, 0.5 · (mean over heads) + 0.5 · I.

    A row that may look at nothing passes on itself alone, so that every row sums to 1.
    """
    mean_LQK = weights_LHQK.astype(np.float64).mean(axis=1)
    identity_QK = np.eye(mean_LQK.shape[-1])
    mixed_LQK = (1 - RESIDUAL_SHARE) * mean_LQK + RESIDUAL_SHARE * identity_QK
    return mixed_LQK / mixed_LQK.sum(axis=-1, keepdims=True)


def rollout(weights_LHQK: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return rolled_LQK: how much of each input is in each position after each layer.

    Rows sum to 1. It knows nothing of values, W^O and feed-forward layers: a hypothesis.

    >>> one_head = np.array([[[[1.0, 0.0], [1.0, 0.0]]]], np.float32)
    >>> rollout(one_head)[-1].tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    rolled_QK = np.eye(weights_LHQK.shape[-1])
    layers = []
    for mixing_QK in mixing(weights_LHQK):
        rolled_QK = mixing_QK @ rolled_QK
        layers.append(rolled_QK)
    return np.stack(layers)


def source_rollout(
    encoder_LHSS: NDArray[np.float32], cross_HS: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return rolled_S, which sums to 1: how much of each source token is in what a row looks at.

    Args:
        encoder_LHSS: The weights of the encoder, or of a decoder alone below its last layer.
        cross_HS: What a row of the decoder looks at in the last cross-attention, or has of the
            positions below.
    """
    looked_at_S = cross_HS.astype(np.float64).mean(axis=0)
    # Below the only layer of a decoder alone are the tokens themselves.
    return np.asarray(looked_at_S @ rollout(encoder_LHSS)[-1] if len(encoder_LHSS) else looked_at_S)
