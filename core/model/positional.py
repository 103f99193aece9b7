"""Positions: sinusoids, a learned table, rotary turns, or learned biases of distances.

B batch, H heads, Q queries, K keys, P positions of a table, D model width, E width of one head,
N pairs of its dimensions.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import get_args

import torch
from torch import Tensor, nn

from ..config import ModelConfig
from ..config.choices import ComputedPositions
from ..heads import Site, Stack
from .dropout import Dropout
from .norm import norm_of
from .probe import Probe, Step, probed


def sinusoids(n_positions: int, d_model: int, base: float = 10000.0) -> Tensor:
    """Return positions_PD (Vaswani et al. 2017, section 3.5).

    PE(pos, 2i) = sin(pos / base^(2i / d_model)), PE(pos, 2i + 1) = cos(the same). Computed in
    float64: in float32 the angle of a far position loses digits.

    >>> [round(x, 4) for x in sinusoids(3, 4)[2].tolist()]
    [0.9093, -0.4161, 0.02, 0.9998]
    """
    positions_P = torch.arange(n_positions, dtype=torch.float64)
    return exact_sinusoids(positions_P, d_model, base).float()


def halved_sinusoids(n_positions: int, d_model: int, base: float = 10000.0) -> Tensor:
    """Return positions_PD with all sines first and all cosines after them, as Marian has it.

    >>> [round(x, 4) for x in halved_sinusoids(3, 4)[2].tolist()]
    [0.9093, 0.02, -0.4161, 0.9998]
    """
    positions_PD = sinusoids(n_positions, d_model, base)
    return torch.cat([positions_PD[:, 0::2], positions_PD[:, 1::2]], dim=1)


def exact_sinusoids(positions_P: Tensor, d_model: int, base: float = 10000.0) -> Tensor:
    """Return positions_PD in float64 for any positions, including negative and fractional ones."""
    angle_PE = positions_P[:, None].double() / timescales(d_model, base)
    return torch.stack([angle_PE.sin(), angle_PE.cos()], dim=-1).flatten(1)


def timescales(d_model: int, base: float = 10000.0) -> Tensor:
    """Return positions per radian of each pair of dimensions, in float64."""
    pair_E = torch.arange(0, d_model, 2, dtype=torch.float64)
    return base ** (pair_E / d_model)


COMPUTED_TABLES: Mapping[str, Callable[[int, int, float], Tensor]] = {
    "sinusoidal": sinusoids,
    "halves": halved_sinusoids,
}
"""Setting → function that computes the fixed table."""


class Embedding(nn.Module):
    """Token vectors times √d_model, plus positions, then dropout (sections 3.4, 3.5, 5.4).

    Some models add a vector for the text that a token belongs to, and normalise the sum (BERT);
    some add no positions here, because attention has them (rotary, buckets).
    """

    positions_PD: Tensor | None

    def __init__(self, config: ModelConfig, tokens: nn.Embedding, stack: Stack) -> None:
        super().__init__()
        self.site = Site(stack, 0, "embedding")
        self.tokens = tokens
        n_names = config.shared_names
        self.last_read = config.vocab_size - n_names if n_names else None
        """All ids after this one share its vector; None if each has its own."""
        self.scale = config.d_model**0.5 if config.embedding_scale else 1.0
        self.n_positions = config.max_positions
        self.segments = (
            nn.Embedding(config.n_segments, config.d_model) if config.n_segments else None
        )
        self.norm = norm_of(config) if config.embedding_norm else None
        self.dropout = Dropout(config.dropout)
        sizes = config.max_positions, config.d_model
        is_computed = config.positions in get_args(ComputedPositions)
        self.compute_table = COMPUTED_TABLES[config.positions] if is_computed else None
        """Function that computes the fixed table; None if there is none."""
        if config.positions == "learned":
            self.positions_PD = nn.Parameter(nn.init.normal_(torch.empty(sizes), std=0.02))
        elif self.compute_table is not None:
            positions_PD = torch.empty(sizes)
            # On the meta device only shapes are needed.
            if not positions_PD.is_meta:
                positions_PD = self.compute_table(*sizes, config.sinusoid_base)
            # A formula, not a weight: it is neither trained nor saved.
            self.register_buffer("positions_PD", positions_PD, persistent=False)
        else:
            self.positions_PD = None

    def forward(self, ids_BK: Tensor, start: int = 0, probe: Probe | None = None) -> Tensor:
        """Return vectors_BKD for tokens that stand at `start` and after.

        Args:
            ids_BK: Tokens.
            start: Position of the first token.
            probe: Observes or changes the summands.

        Raises:
            ValueError: The sequence exceeds the model's positions.
        """
        end = start + ids_BK.shape[1]
        if end > self.n_positions:
            raise ValueError(f"{end} tokens are more than the model's {self.n_positions} positions")
        hook = partial(probed, probe, self.site)
        if self.last_read is not None:
            ids_BK = ids_BK.clamp(max=self.last_read)
        x_BKD = hook(Step.TOKENS, self.tokens(ids_BK) * self.scale)
        if self.segments is not None:
            x_BKD = x_BKD + hook(Step.SEGMENTS, self.segments(torch.zeros_like(ids_BK)))
        if self.positions_PD is not None:
            x_BKD = x_BKD + hook(Step.POSITIONS, self.positions_PD[start:end])
        if self.norm is not None:
            x_BKD = self.norm(x_BKD)
        return hook(Step.STREAM_OUT, self.dropout(x_BKD))

    @property
    def table(self) -> Tensor:
        """The positions_PD that are added to tokens.

        Raises:
            ValueError: No positions are added here.
        """
        if self.positions_PD is None:
            raise ValueError(f"{self.site} adds no positions")
        return self.positions_PD


def frequencies(config: ModelConfig) -> Tensor:
    """Return frequencies_N in float64: radians per position of each pair."""
    pair_N = torch.arange(0, config.d_k, 2, dtype=torch.float64)
    return config.rotary_base ** (-pair_N / config.d_k)


class Rotary(nn.Module):
    """Turns queries and keys by an angle that grows with the position (RoPE, Su et al. 2021).

    Number n is turned together with number n + d_k / 2, as in LLaMA. The dot product of a turned
    query and a turned key depends only on their distance. Nothing is learned.
    """

    frequency_N: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        frequency_N = torch.empty(config.d_k // 2, dtype=torch.float64)
        if not frequency_N.is_meta:
            frequency_N = frequencies(config)
        # A formula, not a weight: it is neither trained nor saved.
        self.register_buffer("frequency_N", frequency_N, persistent=False)

    def forward(self, split_BHKE: Tensor, start: int = 0) -> Tensor:
        """Return turned_BHKE of vectors that stand at `start` and after."""
        cos_KN, sin_KN = self.cos_sin(start, split_BHKE.shape[2], split_BHKE.dtype)
        one_BHKN, other_BHKN = split_BHKE.chunk(2, dim=-1)
        turned = (
            one_BHKN * cos_KN - other_BHKN * sin_KN,
            other_BHKN * cos_KN + one_BHKN * sin_KN,
        )
        return torch.cat(turned, dim=-1)

    def cos_sin(self, start: int, n_positions: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Return cos_KN and sin_KN of the angles of `n_positions` positions from `start` on."""
        places_K = torch.arange(start, start + n_positions, device=self.frequency_N.device)
        angle_KN = places_K[:, None].double() * self.frequency_N
        return angle_KN.cos().to(dtype), angle_KN.sin().to(dtype)


def buckets(distance_QK: Tensor, n_buckets: int, max_distance: int, *, causal: bool) -> Tensor:
    """Return bucket_QK, the index of each distance's bucket.

    Args:
        distance_QK: Position of the key minus that of the query.
        n_buckets: Total number; if not causal, half of them are for later keys.
        max_distance: From here on, all distances share the last bucket.
        causal: Whether later keys are masked.

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
    """Learned bias of each distance and head, added to the scores; one table per stack (T5).

    Raffel et al. 2020, section 2.1. Each near distance has its own bucket; far distances share
    buckets of logarithmically growing size.
    """

    def __init__(self, config: ModelConfig, stack: Stack) -> None:
        super().__init__()
        self.causal = stack == "decoder" and not config.is_parallel
        self.max_distance = config.max_distance
        self.table = nn.Embedding(config.n_buckets, config.n_heads)

    def forward(self, n_queries: int, n_keys: int) -> Tensor:
        """Return bias_1HQK; the queries are the last of the key positions."""
        device = self.table.weight.device
        query_Q = torch.arange(n_keys - n_queries, n_keys, device=device)
        distance_QK = torch.arange(n_keys, device=device)[None, :] - query_Q[:, None]
        bucket_QK = buckets(
            distance_QK, self.table.num_embeddings, self.max_distance, causal=self.causal
        )
        bias_QKH: Tensor = self.table(bucket_QK)
        return bias_QKH.permute(2, 0, 1)[None]
