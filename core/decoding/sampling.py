"""Sampling: draw the next token from the model's distribution, made sharper or cut off at will.

B batch, S source length, V vocabulary.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.config import ConfigError
from core.decoding.greedy import decode_by
from core.decoding.step import DecodeOptions, DecodeStep, steps
from core.model import Transformer

TEMPERATURES = (0.01, 100.0)
"""Beyond these the distribution is one-hot or uniform for any scores that a model gives."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to draw; the defaults leave the model's distribution as it is."""

    temperature: float = 1.0
    """Divides the scores: below 1 the probable becomes more probable, above 1 less."""
    top_k: int = 0
    """Only so many of the most probable tokens can be drawn; 0 for all."""
    top_p: float = 1.0
    """Only the fewest tokens whose probabilities reach this sum (Holtzman et al. 2020)."""
    seed: int = 0

    def __post_init__(self) -> None:
        coldest, hottest = TEMPERATURES
        if not coldest <= self.temperature <= hottest:
            raise ConfigError(
                "temperature is {temperature}, not {coldest} to {hottest}",
                temperature=self.temperature,
                coldest=coldest,
                hottest=hottest,
            )
        if not -(2**63) <= self.seed < 2**63:
            raise ConfigError("seed is {seed}, not a whole number of 64 bits", seed=str(self.seed))
        if self.top_k < 0:
            raise ConfigError(
                "top_k is {top_k}, not 0 (for all tokens) or more", top_k=str(self.top_k)
            )
        if not 0 < self.top_p <= 1:
            raise ConfigError("top_p is {top_p}, not above 0 and at most 1", top_p=self.top_p)


def sampling_distribution(logits_V: Tensor, sampling: Sampling) -> Tensor:
    """Return probabilities_V from which the next token is drawn; they sum to 1.

    Temperature first, then the k most probable, then the nucleus of those.

    >>> logits = torch.tensor([2.0, 1.0, 0.0]).log()
    >>> sampling_distribution(logits, Sampling(top_p=0.6)).tolist()
    [1.0, 0.0, 0.0]
    """
    scaled_V = logits_V / sampling.temperature
    order_V = scaled_V.argsort(descending=True, stable=True)
    ordered_V = scaled_V[order_V]
    if sampling.top_k:
        ordered_V[sampling.top_k :] = -math.inf
    probabilities_V = ordered_V.softmax(dim=-1)
    # A token stays when those before it have not reached the sum yet, so the first always stays.
    before_V = probabilities_V.cumsum(dim=-1) - probabilities_V
    ordered_V = ordered_V.masked_fill(before_V >= sampling.top_p, -math.inf)
    return torch.empty_like(ordered_V).scatter(0, order_V, ordered_V.softmax(dim=-1))


def sampled_steps(
    model: Transformer,
    source_S: Tensor | None,
    sampling: Sampling,
    options: DecodeOptions | None = None,
    prompt: Sequence[int] = (),
) -> Iterator[DecodeStep]:
    """Yield the steps of sampling; the same seed draws the same tokens.

    The steps hold the model's own scores; see `core.decoding.step.steps`.
    """
    generator = torch.Generator().manual_seed(sampling.seed)

    def draw(logits_V: Tensor) -> int:
        probabilities_V = sampling_distribution(logits_V, sampling)
        return int(torch.multinomial(probabilities_V, 1, generator=generator))

    return steps(model, source_S, draw, options, prompt)


def decode_by_sampling(model: Transformer, source_BS: Tensor) -> list[tuple[int, ...]]:
    """Draw a target for each source of a batch from the model's distribution as it is.

    Draws from torch's global random state; see `core.decoding.greedy.decode_by`.
    """

    def draw(logits_BV: Tensor) -> Tensor:
        return torch.multinomial(logits_BV.softmax(dim=-1), 1)[:, 0]

    return decode_by(draw, model, source_BS)
