"""Which encoder layer a decoder layer reads: the last, as ever, or others (He et al. 2018).

B batch, S source length, D model width, L encoder layers; X what the encoder hands over for each
token: its width, or several times that where layers stand side by side.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.config.choices import Memory


class OneMemory(nn.Module):
    """All decoder layers read the same: what the encoder hands over, as it is."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()

    def forward(self, memory_BSX: Tensor) -> Tensor:
        """Return memory_BSD, what the layer reads."""
        return memory_BSX


class FirstMemory(OneMemory):
    """All decoder layers read the encoder's first layer, and none those above."""


class SameMemory(OneMemory):
    """A decoder layer reads the encoder layer of its own depth."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__(config, layer)
        self.layer, self.width = layer, config.d_model

    def forward(self, memory_BSX: Tensor) -> Tensor:
        """Return the layer's part of what stands side by side."""
        start = self.layer * self.width
        return memory_BSX[..., start : start + self.width]


class MixedMemory(OneMemory):
    """A decoder layer reads a mean of all encoder layers, with weights of its own that it learns.

    The weights are the softmax of one number for each encoder layer, all 0 at first.
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
"""Setting → what is read."""
