"""How the next token is chosen from the scores: the most probable one, or a sampled one.

B batch, V vocabulary.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from ..config import ConfigError
from .bounds import TEMPERATURES

Choose = Callable[[Tensor], Tensor]
"""logits_BV → ids_B, the next token of each row."""


class Sampler(Protocol):
    """Chooses each next token from its scores alone; beam search, which does not, is none."""

    def chooser(self) -> Choose:
        """Return the function that chooses, for one decoding."""
        ...


@dataclass(frozen=True, slots=True)
class Greedy:
    """Always the most probable token; the first of equal ones."""

    def chooser(self) -> Choose:
        """Return the function that chooses."""
        return lambda logits_BV: logits_BV.argmax(dim=-1)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to sample; the defaults leave the model's distribution unchanged."""

    temperature: float = 1.0
    """Divides the scores: below 1 the probable becomes more probable, above 1 less."""
    top_k: int = 0
    """Only this many of the most probable tokens; 0 for all."""
    top_p: float = 1.0
    """Only the fewest tokens whose probabilities reach this sum (Holtzman et al. 2020)."""
    seed: int | None = 0
    """The same seed samples the same tokens; None uses torch's global random state."""

    def __post_init__(self) -> None:
        coldest, hottest = TEMPERATURES
        if not coldest <= self.temperature <= hottest:
            raise ConfigError(
                "temperature is {temperature}, not {coldest} to {hottest}",
                temperature=self.temperature,
                coldest=coldest,
                hottest=hottest,
            )
        if self.seed is not None and not -(2**63) <= self.seed < 2**63:
            raise ConfigError("seed is {seed}, not a whole number of 64 bits", seed=str(self.seed))
        if self.top_k < 0:
            raise ConfigError(
                "top_k is {top_k}, not 0 (for all tokens) or more", top_k=str(self.top_k)
            )
        if not 0 < self.top_p <= 1:
            raise ConfigError("top_p is {top_p}, not above 0 and at most 1", top_p=self.top_p)

    def chooser(self) -> Choose:
        """Return a function that samples; each call continues the random sequence."""
        generator = None
        if self.seed is not None:
            generator = torch.Generator().manual_seed(self.seed)

        def draw(logits_BV: Tensor) -> Tensor:
            probabilities_BV = sampling_distribution(logits_BV, self)
            return torch.multinomial(probabilities_BV, 1, generator=generator)[:, 0]

        return draw


def sampling_distribution(logits_BV: Tensor, sampling: Sampling) -> Tensor:
    """Return probabilities_BV from which the next tokens are sampled; each row sums to 1.

    Temperature first, then top k, then the nucleus of those.

    >>> logits = torch.tensor([[2.0, 1.0, 0.0]]).log()
    >>> sampling_distribution(logits, Sampling(top_p=0.6)).tolist()
    [[1.0, 0.0, 0.0]]
    """
    scaled_BV = logits_BV / sampling.temperature
    if not sampling.top_k and sampling.top_p == 1:
        return scaled_BV.softmax(dim=-1)
    order_BV = scaled_BV.argsort(dim=-1, descending=True, stable=True)
    ordered_BV = scaled_BV.gather(-1, order_BV)
    if sampling.top_k:
        ordered_BV[..., sampling.top_k :] = -math.inf
    probabilities_BV = ordered_BV.softmax(dim=-1)
    # A token stays if those before it have not reached the sum, so the first always stays.
    before_BV = probabilities_BV.cumsum(dim=-1) - probabilities_BV
    ordered_BV = ordered_BV.masked_fill(before_BV >= sampling.top_p, -math.inf)
    return torch.empty_like(ordered_BV).scatter(-1, order_BV, ordered_BV.softmax(dim=-1))
