"""How attention passes information on over several layers, if weights were all there is.

L layers, H heads, S source length, Q queries, K keys; a self-attention's queries are its keys.

Source: Abnar and Zuidema, "Quantifying Attention Flow in Transformers" (2020).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.heads import Kind, Stack
from core.inspection import Inspection
from core.tokenizer.tokenizer import Token

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


def seen_fairly(
    rolled_QK: NDArray[np.float64], visible_QK: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the column sums of a rollout, each divided by how many rows can see the column.

    Where rows see only what is before them, early tokens are seen by more rows, and collect more
    whatever the weights are.

    >>> seen_fairly(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[True, False], [True, True]]))
    array([0.75, 0.5 ])
    """
    return np.asarray(rolled_QK.sum(axis=0) / np.maximum(visible_QK.sum(axis=0), 1))


@dataclass(frozen=True, slots=True, eq=False)
class StackRollout:
    """The rollout of a stack's self-attention on one sentence."""

    kind: Kind
    tokens: tuple[Token, ...]
    rolled_LQK: NDArray[np.float64]
    visible_QK: NDArray[np.bool_]
    """True where a row may look."""

    @property
    def seen_K(self) -> NDArray[np.float64]:
        """How much of each token is in a position after the last layer, the mean over all."""
        return np.asarray(self.rolled_LQK[-1].mean(axis=0))

    @property
    def seen_fairly_K(self) -> NDArray[np.float64]:
        """The mean over those positions alone that can see the token."""
        return seen_fairly(self.rolled_LQK[-1], self.visible_QK)

    def table(self) -> dict[str, list[object]]:
        """Return a row for each cell of each layer; of a causal stack also what is seen."""
        rows: list[dict[str, object]] = [
            {
                "what": "share",
                "layer": layer,
                "position": row,
                "position_token": self.tokens[row].text,
                "token": column,
                "token_text": self.tokens[column].text,
                "share": float(share),
            }
            for (layer, row, column), share in np.ndenumerate(self.rolled_LQK)
        ]
        seen = {"seen": self.seen_K, "seen_fairly": self.seen_fairly_K}
        for what, shares_K in seen.items() if self.kind.causal else ():
            for token, share in enumerate(shares_K.tolist()):
                at = {"what": what, "token": token, "token_text": self.tokens[token].text}
                rows.append({**at, "share": share})
        return {name: [row.get(name) for row in rows] for name in rows[0]}


def stack_rollout(inspection: Inspection, stack: Stack) -> StackRollout:
    """Roll out what a stack's self-attention did with a sentence."""
    kind = Kind.self_of(stack)
    layers = [inspection.attention[site] for site in inspection.sites_of(kind)]
    weights_LHQK = np.stack([layer.weights_HQK for layer in layers])
    tokens = inspection.tokens_of(kind.key_side)
    return StackRollout(kind, tokens, rollout(weights_LHQK), layers[0].visible_QK)
