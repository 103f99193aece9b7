"""Which encoder layer a decoder layer reads: the last, as ever, or others (He et al. 2018).

B batch, S source length, D model width, L encoder layers; X what the encoder hands over for each
token: its width, or several times that where layers stand side by side.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from core.choices import Memory
from core.config import ModelConfig
from core.model.norm import norm_of, normalised
from core.model.part import Sketch


class OneMemory(nn.Module):
    """All decoder layers read the same: what the encoder hands over, as it is."""

    formula = ""
    """In LaTeX, to be added to that of attention."""
    count = ""
    """How many numbers it learns, in LaTeX, to be added to those of attention."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()

    def forward(self, memory_BSX: Tensor) -> Tensor:
        """Return memory_BSD, what the layer reads."""
        return memory_BSX

    def nodes(self, sketch: Sketch) -> tuple[str, ...]:
        """Return the nodes of a drawing whose output is read."""
        return (sketch.memory,)


class FirstMemory(OneMemory):
    """All decoder layers read the encoder's first layer; nobody reads those above."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__(config, layer)
        self.formula = rf",\quad memory = {_depth(config, '0')}"

    def nodes(self, sketch: Sketch) -> tuple[str, ...]:
        """Return the end of the first layer."""
        return _ends(sketch)[:1]


class SameMemory(OneMemory):
    """A decoder layer reads the encoder layer of its own depth."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__(config, layer)
        self.layer, self.width = layer, config.d_model
        self.formula = rf",\quad memory = {_depth(config, str(layer))}"

    def forward(self, memory_BSX: Tensor) -> Tensor:
        """Return the layer's part of what stands side by side."""
        start = self.layer * self.width
        return memory_BSX[..., start : start + self.width]

    def nodes(self, sketch: Sketch) -> tuple[str, ...]:
        """Return the end of the layer of the same depth."""
        return (_ends(sketch)[self.layer],)


class MixedMemory(OneMemory):
    """A decoder layer reads a mean of all encoder layers, with weights of its own that it learns.

    The weights are the softmax of one number for each encoder layer, all 0 at first.
    """

    count = " + L"

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__(config, layer)
        mixed = rf"\sum_j \mathrm{{softmax}}(a)_j\, {_depth(config, 'j')}"
        self.formula = rf",\quad memory = {mixed}"
        self.scores_L = nn.Parameter(torch.zeros(config.n_encoder_layers))

    def forward(self, memory_BSX: Tensor) -> Tensor:
        """Return the weighted mean."""
        memory_BSLD = memory_BSX.unflatten(-1, (len(self.scores_L), -1))
        mixed_BSD: Tensor = self.scores_L.softmax(dim=0) @ memory_BSLD
        return mixed_BSD

    def nodes(self, sketch: Sketch) -> tuple[str, ...]:
        """Return the ends of all layers."""
        return _ends(sketch)


def _depth(config: ModelConfig, number: str) -> str:
    """Return what the encoder hands over of a layer, in LaTeX."""
    stream = f"x^{{({number})}}"
    return normalised(norm_of(config), stream) if config.norm == "pre" else stream


def _ends(sketch: Sketch) -> tuple[str, ...]:
    """Return the nodes whose output is that of each encoder layer: of the last after its norm."""
    return (*sketch.depths["encoder"][:-1], sketch.memory)


MEMORIES: Mapping[Memory, Callable[[ModelConfig, int], OneMemory]] = {
    "last": OneMemory,
    "first": FirstMemory,
    "same": SameMemory,
    "mixed": MixedMemory,
}
"""Setting → what is read."""
