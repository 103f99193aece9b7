"""Making models: with initial weights, uninitialised, or with shapes only."""

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from ..config import ModelConfig
from .transformer import Transformer


def build(config: ModelConfig, seed: int = 0) -> Transformer:
    """Make a model with weights initialised from a seed; torch's random state is unchanged."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(config)


def count_parameters(config: ModelConfig) -> int:
    """Return the number of parameters of a configuration; a shared matrix counts once."""
    return sum(parameter.numel() for parameter in outline(config).parameters())


def unfilled(config: ModelConfig) -> Transformer:
    """Make a model with uninitialised weights, to be filled from a file.

    Initialising them takes longer than reading the file.
    """
    with torch.random.fork_rng(devices=[]), _SkipInit():
        return Transformer(config)


@lru_cache(maxsize=16)
def outline(config: ModelConfig) -> Transformer:
    """Return a model on the meta device: shapes without values."""
    with torch.device("meta"), _SkipInit():
        return Transformer(config)


class _SkipInit(TorchFunctionMode):
    """Skips the initialisation of weights.

    On the meta device torch would import a compiler for it, which takes seconds.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Collection[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        named = kwargs or {}
        if func in (nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_):
            return named["tensor"]
        if func is torch.Tensor.uniform_:
            return args[0]
        return func(*args, **named)
