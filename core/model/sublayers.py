"""The sublayers of a layer: self-attention, cross-attention, feed-forward.

B batch, S source length, T target length, Q queries, K keys, D model width, F feed-forward width;
x_BKD where either length may stand.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from torch import Tensor, nn
from torch.nn import functional

from ..config import ModelConfig
from ..config.choices import Activation
from ..heads import Site
from .attention import MultiHeadAttention
from .cache import Cache, KeysValues
from .memory import MEMORIES
from .positional import RelativeBias
from .probe import Probe, Step, probed


@dataclass(frozen=True, slots=True)
class LayerInputs:
    """Inputs of a layer beside the residual stream."""

    visible_BQK: Tensor | None
    """True where a position may look at another of its own sequence; K includes cached ones.
    None if nothing is hidden."""
    memory_BSD: Tensor | None = None
    """The encoder's output; None in the encoder itself."""
    visible_B1S: Tensor | None = None
    """The source's padding mask; None if nothing is hidden."""
    cache: Cache | None = None
    """Keys and values of earlier positions; None when all positions are computed together."""
    bias_1HQK: Tensor | None = None
    """Position bias of each head of self-attention; None for none."""


class Sublayer(Protocol):
    """Interface of the modules of a layer, each inside a `Residual`."""

    site: Site

    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Return added_BKD, what the sublayer adds to the stream."""
        ...


class SelfAttention(MultiHeadAttention):
    """A sequence attends to itself; in a decoder, only to earlier positions.

    With relative positions, the first layer has the table that all layers of its stack use.
    """

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__(config, site)
        self.masked = site.attention.causal and not config.is_parallel
        has_table = config.positions == "buckets" and site.layer == 0
        self.relative = RelativeBias(config, site.stack) if has_table else None

    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Attend from every position to the visible ones of its own sequence."""
        cache = inputs.cache
        memory = self.keys_values(x_BKD, probe, 0 if cache is None else cache.length)
        if cache is not None:
            memory = cache.grown(self.site, memory)
        return self(x_BKD, memory, inputs.visible_BQK, probe, inputs.bias_1HQK)


class CrossAttention(MultiHeadAttention):
    """A target attends to the encoder's output."""

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__(config, site)
        self.memory = MEMORIES[config.memory](config, site.layer)

    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Attend from every position to the whole source."""

        def compute() -> KeysValues:
            assert inputs.memory_BSD is not None
            return self.keys_values(self.memory(inputs.memory_BSD), probe)

        memory = compute() if inputs.cache is None else inputs.cache.once(self.site, compute)
        return self(x_BKD, memory, inputs.visible_B1S, probe)


class FeedForward(nn.Module):
    """max(0, x W₁ + b₁) W₂ + b₂, the same for every position (section 3.3).

    Or with another activation, or gated: (act(x W_g) ⊙ x W₁) W₂ (Shazeer 2020).
    """

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__()
        self.site = site
        self.activation = config.activation
        self.gate = nn.Linear(config.d_model, config.d_ff, config.ff_bias) if config.gated else None
        self.expand = nn.Linear(config.d_model, config.d_ff, config.ff_bias)
        self.contract = nn.Linear(config.d_ff, config.d_model, config.ff_bias)

    def forward(self, x_BKD: Tensor, probe: Probe | None = None) -> Tensor:
        """Return transformed_BKD."""
        activate = ACTIVATIONS[self.activation]
        if self.gate is None:
            hidden_BKF = activate(self.expand(x_BKD))
        else:
            gate_BKF = probed(probe, self.site, Step.GATE, activate(self.gate(x_BKD)))
            hidden_BKF = gate_BKF * self.expand(x_BKD)
        return self.contract(probed(probe, self.site, Step.HIDDEN, hidden_BKF))

    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Transform every position by itself."""
        return self(x_BKD, probe)


ACTIVATIONS: Mapping[Activation, Callable[[Tensor], Tensor]] = {
    "relu": Tensor.relu,
    "gelu": functional.gelu,
    "gelu_tanh": partial(functional.gelu, approximate="tanh"),
    "silu": functional.silu,
}
"""Activations of a feed-forward layer; GELU is exact, or approximated as in GPT-2."""
