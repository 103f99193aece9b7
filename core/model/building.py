"""Making models: with fresh weights, without any, or only the shapes of them."""

from functools import lru_cache

import torch

from core.config import ModelConfig
from core.model.nothing_drawn import NothingDrawn
from core.model.transformer import Transformer


def build(config: ModelConfig, seed: int = 0) -> Transformer:
    """Make a model with fresh weights from a seed; torch's own random state stays as it is."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(config)


def count_parameters(config: ModelConfig) -> int:
    """Return how many numbers a model of this configuration learns; a shared matrix counts once."""
    return sum(parameter.numel() for parameter in outline(config).parameters())


def unfilled(config: ModelConfig) -> Transformer:
    """Make a model whose weights are whatever memory held, for whoever puts others in their place.

    To draw random ones that nobody looks at takes longer than to read them from a file.
    """
    with torch.random.fork_rng(devices=[]), NothingDrawn():
        return Transformer(config)


@lru_cache(maxsize=16)
def outline(config: ModelConfig) -> Transformer:
    """Return a model with the shapes of all its weights and without their numbers."""
    with torch.device("meta"), NothingDrawn():
        return Transformer(config)
