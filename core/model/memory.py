"""Which encoder layer a decoder layer reads: the last, as usual, or others (He et al. 2018).

B batch, S source length, D model width, L encoder layers; X width of the encoder's output for each
token: D, or several times that if layers are concatenated.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from ..config import ModelConfig
from ..config.choices import Memory


class OneMemory(nn.Module):
    """All decoder layers read the encoder's output unchanged."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()

    def forward(self, memory_BSX: Tensor) -> Tensor:
        """Return memory_BSD, the layer's memory."""
        return memory_BSX


class FirstMemory(OneMemory):
    """All decoder layers read the encoder's first layer, and none those above."""


class SameMemory(OneMemory):
    """A decoder layer reads the encoder layer of its own depth."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__(config, layer)
        self.layer, self.width = layer, config.d_model

    def forward(self, memory_BSX: Tensor) -> Tensor:
        """Return the layer's slice of the concatenated layers."""
        start = self.layer * self.width
        return memory_BSX[..., start : start + self.width]


class MixedMemory(OneMemory):
    """A decoder layer reads a mean of all encoder layers, with its own learned weights.

    The weights are a softmax of one parameter per encoder layer, initially 0.
    """

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__(config, layer)
        self.scores_L = nn.Parameter(torch.zeros(config.n_encoder_layers))

    def forward(self, memory_BSX: Tensor) -> Tensor:
        """Return the weighted mean."""
        memory_BSLD = memory_BSX.unflatten(-1, (len(self.scores_L), -1))
        mixed_BSD: Tensor = self.scores_L.softmax(dim=0) @ memory_BSLD
        return mixed_BSD


MEMORIES: Mapping[Memory, Callable[[ModelConfig, int], OneMemory]] = {
    "last": OneMemory,
    "first": FirstMemory,
    "same": SameMemory,
    "mixed": MixedMemory,
}
"""Setting → class."""
