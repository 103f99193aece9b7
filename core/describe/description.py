"""The description of a model from its modules: its parts, and how many parameters each has.

Everything that draws, counts or explains a model reads this instead of the modules.
"""

from dataclasses import dataclass

from ..config import ModelConfig
from ..heads import Stack
from ..model.building import outline
from ..model.transformer import Transformer
from .modules import add
from .parts import GROUPS, Arrow, Node, Part, Sketch


@dataclass(frozen=True, slots=True)
class Description:
    """A model from bottom to top, the encoder first."""

    nodes: tuple[Node, ...]
    """Parts, tokens and sums along the flow of data."""
    arrows: tuple[Arrow, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The nodes that are boxes."""
        return tuple(node for node in self.nodes if isinstance(node, Part))

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all parts."""
        return tuple(part.id for part in self.parts)

    @property
    def stacks(self) -> dict[Stack, int]:
        """Stack → number of layers."""
        layers = {node.stack: {-1} for node in self.nodes}
        for node in self.nodes:
            if node.layer is not None:
                layers[node.stack].add(node.layer)
        return {stack: len(found) - 1 for stack, found in layers.items()}

    @property
    def sublayers(self) -> tuple[Part, ...]:
        """The parts inside residual blocks."""
        return tuple(part for part in self.parts if part.block == part.id)

    @property
    def parameters(self) -> int:
        """Number of learned parameters."""
        return sum(part.parameters for part in self.parts)

    def by_group(self) -> dict[str, int]:
        """Return the parameters summed by group."""
        named = [part.group for part in self.parts if part.group]
        groups = dict.fromkeys((*GROUPS, *named))
        return {
            group: sum(part.parameters for part in self.parts if part.group == group)
            for group in groups
        }


def describe(model: Transformer | ModelConfig) -> Description:
    """Describe a model; from a configuration, without allocating its weights."""
    asked = outline(model) if isinstance(model, ModelConfig) else model
    sketch = Sketch(asked.config)
    add(asked, sketch)
    return Description(tuple(sketch.nodes), tuple(sketch.arrows))
