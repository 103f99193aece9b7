"""Rotary positions: queries and keys are turned by an angle that grows with the position (RoPE).

Su et al. 2021. A query and a key that are turned by their positions have a dot product in which
only the distance of the two is left. B batch, H heads, K positions, E width of one head, N pairs.
"""

import math

import torch
from torch import Tensor, nn

from core.config import ModelConfig


def frequencies(config: ModelConfig) -> Tensor:
    """Return frequencies_N in float64: by how many radians a position turns each pair."""
    pair_N = torch.arange(0, config.d_k, 2, dtype=torch.float64)
    frequency_N = config.rotary_base ** (-pair_N / config.d_k)
    if not config.rotary_scaling:
        return frequency_N
    factor, low, high, original = config.rotary_scaling
    # LLaMA 3.1: slow pairs are slowed down, fast ones stay, those between are blended.
    turns_N = original * frequency_N / (2 * math.pi)
    share_N = ((turns_N - low) / (high - low)).clamp(0, 1)
    return share_N * frequency_N + (1 - share_N) * frequency_N / factor


Turns = tuple[Tensor, Tensor]
"""cos_KN and sin_KN of the angles."""


class Rotary(nn.Module):
    """Turns the pairs of every head's vectors; nothing is learned."""

    frequency_N: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.in_halves = config.rotary_pairs == "halves"
        frequency_N = torch.empty(config.d_k // 2, dtype=torch.float64)
        if not frequency_N.is_meta:
            frequency_N = frequencies(config)
        # A formula, not a weight: it is neither trained nor saved.
        self.register_buffer("frequency_N", frequency_N, persistent=False)

    def forward(self, split_BHKE: Tensor, start: int = 0) -> Tensor:
        """Return turned_BHKE of vectors that stand at `start` and after."""
        turns = self.turns(start, split_BHKE.shape[2], split_BHKE.dtype)
        return self.turned(split_BHKE, turns)

    def turns(self, start: int, n_positions: int, dtype: torch.dtype) -> Turns:
        """Return how the pairs of so many positions from `start` on are turned, in every layer."""
        places_K = torch.arange(start, start + n_positions, device=self.frequency_N.device)
        angle_KN = places_K[:, None].double() * self.frequency_N
        return angle_KN.cos().to(dtype), angle_KN.sin().to(dtype)

    def turned(self, split_BHKE: Tensor, turns: Turns) -> Tensor:
        """Return turned_BHKE by `turns` of its positions."""
        cos_KN, sin_KN = turns
        if self.in_halves:
            one_BHKN, other_BHKN = split_BHKE.chunk(2, dim=-1)
        else:
            one_BHKN, other_BHKN = split_BHKE[..., 0::2], split_BHKE[..., 1::2]
        turned = (
            one_BHKN * cos_KN - other_BHKN * sin_KN,
            other_BHKN * cos_KN + one_BHKN * sin_KN,
        )
        if self.in_halves:
            return torch.cat(turned, dim=-1)
        return torch.stack(turned, dim=-1).flatten(-2)
