"""The sublayers that layers are made of: what each looks at.

B batch, S source length, T target length, Q queries, K keys, D model width, F feed-forward width;
x_BKD where either length may stand.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from torch import Tensor, nn
from torch.nn import functional

from core.config import ModelConfig
from core.config.choices import Activation
from core.heads import Site
from core.model.attention import MultiHeadAttention
from core.model.cache import Cache, KeysValues
from core.model.memory import MEMORIES
from core.model.positional import RelativeBias
from core.model.probe import Probe, Step, probed


@dataclass(frozen=True, slots=True)
class LayerInputs:
    """What the positions of a layer may look at beside the stream that comes in."""

    visible_BQK: Tensor | None
    """True where a position may look at another of its own sequence; K counts those before, too.
    None if nothing is hidden."""
    memory_BSD: Tensor | None = None
    """What the encoder made of the source; None in the encoder itself."""
    visible_B1S: Tensor | None = None
    """The source's padding mask; None if nothing is hidden."""
    cache: Cache | None = None
    """Keys and values of earlier positions; None when all positions are computed together."""
    bias_1HQK: Tensor | None = None
    """What each head of self-attention adds to the scores; None for nothing."""


class Sublayer(Protocol):
    """What a layer asks of each of its modules, and puts a `Residual` around."""

    site: Site

    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Return added_BKD, what the sublayer adds to the stream."""
        ...


class SelfAttention(MultiHeadAttention):
    """A sequence looks at itself: in a decoder at what is already written.

    Where distances count, the first layer has their table, and all layers of its stack use it.
    """

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__(config, site)
        self.masked = site.attention.causal and not config.is_parallel
        has_table = config.positions == "buckets" and site.layer == 0
        self.relative = RelativeBias(config, site.stack) if has_table else None

    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Let every position look at those of its own sequence that it may see."""
        cache = inputs.cache
        memory = self.keys_values(x_BKD, probe, 0 if cache is None else cache.length)
        if cache is not None:
            memory = cache.grown(self.site, memory)
        return self(x_BKD, memory, inputs.visible_BQK, probe, inputs.bias_1HQK)


class CrossAttention(MultiHeadAttention):
    """A target looks at what the encoder made of the source."""

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__(config, site)
        self.memory = MEMORIES[config.memory](config, site.layer)

    def added(self, x_BKD: Tensor, inputs: LayerInputs, probe: Probe | None) -> Tensor:
        """Let every position look at the whole source."""

        def compute() -> KeysValues:
            assert inputs.memory_BSD is not None
            return self.keys_values(self.memory(inputs.memory_BSD), probe)

        memory = compute() if inputs.cache is None else inputs.cache.once(self.site, compute)
        return self(x_BKD, memory, inputs.visible_B1S, probe)


class FeedForward(nn.Module):
    """max(0, x W₁ + b₁) W₂ + b₂, the same for every position (section 3.3).

    With another activation than max(0, ·), or gated: (act(x W_g) ⊙ x W₁) W₂ (Shazeer 2020).
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
"""What the units of a feed-forward layer do; GELU by its definition, or as GPT-2 computes it."""
