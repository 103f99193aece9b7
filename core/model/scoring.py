"""How scores are computed from queries and keys: dot products, a small network, or features.

B batch, H heads, Q query positions, K key positions, E width of one head, A hidden units of the
small network of each head.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..config import ModelConfig


class Additive(nn.Module):
    """v · tanh(W q + U k): a small network of each head compares a query with a key.

    Bahdanau et al. 2015, appendix A.1.2; there q is the decoder's state and k what the encoder made
    of a word; here each has gone through a projection of its own.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        n_heads, width = config.n_heads, config.d_k
        self.query_HEA = nn.Parameter(torch.empty(n_heads, width, width))
        self.key_HEA = nn.Parameter(torch.empty(n_heads, width, width))
        self.value_HA = nn.Parameter(torch.empty(n_heads, width))
        # Glorot, as all other matrices: those of a head are square.
        for matrix in (self.query_HEA, self.key_HEA):
            nn.init.uniform_(matrix, -math.sqrt(3 / width), math.sqrt(3 / width))
        nn.init.uniform_(self.value_HA, -math.sqrt(6 / (width + 1)), math.sqrt(6 / (width + 1)))

    def forward(self, query_BHQE: Tensor, key_BHKE: Tensor) -> Tensor:
        """Return scores_BHQK."""
        of_query_BHQ1A = (query_BHQE @ self.query_HEA)[:, :, :, None]
        of_key_BH1KA = (key_BHKE @ self.key_HEA)[:, :, None]
        hidden_BHQKA = (of_query_BHQ1A + of_key_BH1KA).tanh()
        scores_BHQK: Tensor = (hidden_BHQKA @ self.value_HA[:, None, :, None])[..., 0]
        return scores_BHQK


def features(x_BHKE: Tensor) -> Tensor:
    """Return φ(x) = elu(x) + 1, which is above 0 (Katharopoulos et al. 2020, eq. 7).

    >>> features(torch.tensor([-1.0, 0.0, 2.0])).tolist()
    [0.3678794503211975, 1.0, 3.0]
    """
    return functional.elu(x_BHKE) + 1


@dataclass(frozen=True, slots=True)
class Scoring:
    """How scores are computed from queries and keys."""

    divisor: float | None = None
    """Divisor of the products; None for √d_k."""
    bias_1HQK: Tensor | None = None
    """Position bias of each head, added after the division; None for none."""
    rotated: bool = False
    """Whether queries and keys have been turned by their positions."""
    additive: Additive | None = None
    """Replaces the dot product."""
    linear: bool = False
    """Weights are products of features divided by their sum, without a softmax."""

    def compared(self, query_BHQE: Tensor, key_BHKE: Tensor) -> Tensor:
        """Return products_BHQK, or the scores that replace them."""
        if self.additive is not None:
            scores_BHQK: Tensor = self.additive(query_BHQE, key_BHKE)
            return scores_BHQK
        if self.linear:
            query_BHQE, key_BHKE = features(query_BHQE), features(key_BHKE)
        return query_BHQE @ key_BHKE.transpose(-2, -1)


USUAL = Scoring()
"""Products divided by √d_k (eq. 1)."""


def divisor(config: ModelConfig) -> float | None:
    """Return the divisor of products; None for √d_k."""
    return None if config.scores == "dot" and config.score_scale == "width" else 1.0


def attention_weights(scores_BHQK: Tensor) -> Tensor:
    """Return the softmax of masked scores; a row of nothing but −∞ becomes zeros.

    −∞ alone would give NaN, and a large negative number instead of −∞ would give a uniform row
    that looks like attention.

    >>> import torch
    >>> attention_weights(torch.tensor([[0.0, 0.0], [-math.inf, -math.inf]])).tolist()
    [[0.5, 0.5], [0.0, 0.0]]
    """
    blind_BHQ1 = scores_BHQK.amax(dim=-1, keepdim=True) == -math.inf
    return scores_BHQK.masked_fill(blind_BHQ1, 0.0).softmax(dim=-1).masked_fill(blind_BHQ1, 0.0)


def shares(scores_BHQK: Tensor) -> Tensor:
    """Return non-negative scores divided by the sum of their row; zeros if it is 0."""
    total_BHQ1 = scores_BHQK.sum(dim=-1, keepdim=True)
    return scores_BHQK / total_BHQ1.masked_fill(total_BHQ1 == 0, 1.0)


def attend_linearly(
    query_BHQE: Tensor, key_BHKE: Tensor, value_BHKE: Tensor, visible_B1K: Tensor | None
) -> Tensor:
    """Return mixed_BHQE of linear attention when all queries see the same keys.

    φ(q) Σ φ(k) vᵀ / φ(q) Σ φ(k): the sums over keys are computed once, so that time and memory grow
    linearly with the length of a sentence, not quadratically (Katharopoulos et al. 2020, eq. 6).
    """
    query_BHQE, key_BHKE = features(query_BHQE), features(key_BHKE)
    if visible_B1K is not None:
        key_BHKE = key_BHKE * visible_B1K[:, :, :, None]
    total_BHQ1 = query_BHQE @ key_BHKE.sum(dim=-2)[..., None]
    mixed_BHQE = query_BHQE @ (key_BHKE.transpose(-2, -1) @ value_BHKE)
    return mixed_BHQE / total_BHQ1.masked_fill(total_BHQ1 == 0, 1.0)
