"""Relative positions: each head learns what a distance is worth, and adds it to the scores (T5).

Raffel et al. 2020, section 2.1. Near distances have a bucket each, far ones share buckets that
grow by powers. H heads, Q queries, K keys.
"""

import math

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.heads import Stack


def buckets(distance_QK: Tensor, n_buckets: int, max_distance: int, *, causal: bool) -> Tensor:
    """Return bucket_QK, the number of the bucket that each distance falls into.

    Args:
        distance_QK: Place of the key less that of the query.
        n_buckets: In all; without a look-ahead mask half of them are for keys that come later.
        max_distance: From here on all distances are in the last bucket.
        causal: Whether keys that come later are never looked at.

    >>> buckets(torch.tensor([[-200, -1, 0, 1, 200]]), 32, 128, causal=False).tolist()
    [[15, 1, 0, 17, 31]]
    >>> buckets(torch.tensor([[-200, -1, 0, 1]]), 32, 128, causal=True).tolist()
    [[31, 1, 0, 0]]
    """
    if causal:
        later_QK, away_QK = torch.zeros_like(distance_QK), (-distance_QK).clamp(min=0)
    else:
        n_buckets //= 2
        later_QK, away_QK = (distance_QK > 0) * n_buckets, distance_QK.abs()
    exact = n_buckets // 2
    powers_QK = (away_QK.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far_QK = (exact + (powers_QK * (n_buckets - exact)).long()).clamp(max=n_buckets - 1)
    return later_QK + torch.where(away_QK < exact, away_QK, far_QK)


class RelativeBias(nn.Module):
    """One table for a whole stack: what each bucket adds to the scores of each head."""

    def __init__(self, config: ModelConfig, stack: Stack) -> None:
        super().__init__()
        self.causal = stack == "decoder" and not config.is_parallel
        self.max_distance = config.max_distance
        self.table = nn.Embedding(config.n_buckets, config.n_heads)

    def forward(self, n_queries: int, n_keys: int) -> Tensor:
        """Return bias_1HQK; the queries are the last of the positions that can be looked at."""
        device = self.table.weight.device
        query_Q = torch.arange(n_keys - n_queries, n_keys, device=device)
        distance_QK = torch.arange(n_keys, device=device)[None, :] - query_Q[:, None]
        bucket_QK = buckets(
            distance_QK, self.table.num_embeddings, self.max_distance, causal=self.causal
        )
        bias_QKH: Tensor = self.table(bucket_QK)
        return bias_QKH.permute(2, 0, 1)[None]
