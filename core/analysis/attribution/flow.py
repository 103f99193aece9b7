"""What of a source reaches a step of the decoder, if attention weights were all there is.

A row of the decoder looks at the encoder's last layer through the last cross-attention (mean over
heads), and each layer of the encoder passes on 0.5 · (mean over heads) + 0.5 · I to the one above,
as in `rollout`. What the row has from other rows and from earlier cross-attentions is left out. All
rows of an encoder see all tokens, so none is favoured by being seen more often, as early tokens of
a target are (for which there is `rollout.seen_fairly`).

L layers, H heads, S source length, P parts of the source (its tokens, or its words), Q queries,
K keys, N nodes.

Source: Abnar and Zuidema, "Quantifying Attention Flow in Transformers" (2020).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from core.analysis.attribution.rollout import mixing, rollout

MOST_TOKENS = 100
"""Of longer sources nobody waits for the flow: the work grows faster than their length cubed."""
UNIT = 2**30
"""Flows are computed in whole numbers; so many are a capacity of 1."""


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


def source_flow(
    encoder_LHSS: NDArray[np.float32],
    cross_HS: NDArray[np.float32],
    words: Sequence[int] | None = None,
) -> NDArray[np.float64]:
    """Return flow_P, each at most 1: the most that can flow from a row to each part of the source.

    The edges of the graph pass on no more than their weight: a path is as strong as its weakest
    edge, where in a rollout it is the product of all. Each part is asked about alone, so that the
    flows do not sum to 1. Exact to 1e-7.

    Args:
        encoder_LHSS: The weights of the encoder.
        cross_HS: What a row of the decoder looks at in the last cross-attention.
        words: Which word each token belongs to, counted from 0: to a word flows what flows to all
            its tokens at once. None asks about tokens.
    """
    n_layers, _, n_source, _ = encoder_LHSS.shape
    parts = np.arange(n_source) if words is None else np.asarray(words)
    n_parts = int(parts.max()) + 1
    # The source tokens are the first nodes, then come the positions of each layer, the row, and
    # the parts, into which the tokens lead.
    row = (n_layers + 1) * n_source
    capacity_NN = np.zeros((row + 1 + n_parts, row + 1 + n_parts))
    capacity_NN[np.arange(n_source), row + 1 + parts] = 1.0
    for layer, mixing_SS in enumerate(mixing(encoder_LHSS)):
        below, above = (slice(at * n_source, (at + 1) * n_source) for at in (layer, layer + 1))
        capacity_NN[above, below] = mixing_SS
    capacity_NN[row, row - n_source : row] = cross_HS.astype(np.float64).mean(axis=0)
    graph = csr_array(np.rint(capacity_NN * UNIT).astype(np.int32))
    flows = [maximum_flow(graph, row, row + 1 + part).flow_value for part in range(n_parts)]
    return np.array(flows) / UNIT
