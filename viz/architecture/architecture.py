"""A model drawn like the paper's Figure 1, but with the parts that it really has.

What there is to draw is handed over as boxes, sums and arrows. The picture knows what arrows mean,
but neither which parts a model has nor in which order they stand.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..component.payload import SAVE_TEXTS, SIGN_TEXTS, complete, framed
from ..messages import N_

# Every text of the component. A page may hand over its own.
DEFAULT_ARCHITECTURE_TEXTS: Mapping[str, str] = {
    **SIGN_TEXTS,
    "title": N_("The model's parts; data flows upward"),
    "memory": N_("memory"),
    "query": N_("q"),
    "key": N_("k"),
    "value": N_("v"),
    "tied": N_("shared"),
    **SAVE_TEXTS,
    "file": N_("architecture"),
}


Shape = Literal["part", "sum", "tokens"]
ArrowKind = Literal["flow", "query", "key", "value", "memory", "residual", "positions", "tied"]


@dataclass(frozen=True, kw_only=True)
class Node:
    """Something on the way of the data.

    Attributes:
        id: By which arrows name it.
        shape: A box, a ⊕, or a row of tokens.
        stack: Name of the column in which it stands.
        layer: Number of the layer of that column; None outside of all.
        block: What it shares with the nodes around which the same arrow leads; "" where none does.
        kind: Boxes of one kind have one height.
        label: What is written on it.
        name: What it is called in full.
        detail: A short second line, such as "16.8 M".
        group: Boxes of one group have one colour; tokens are of the "source" or the "target".
    """

    id: str
    shape: Shape
    stack: str
    layer: int | None = None
    block: str = ""
    kind: str = ""
    label: str = ""
    name: str = ""
    detail: str = ""
    group: str = ""


@dataclass(frozen=True)
class Arrow:
    """What one node makes goes into another; a dashed line where they share a matrix ("tied").

    Attributes:
        kind: How data comes in: straight up ("flow", "query", "key", "value"), from the stack
            beside ("memory"), past a block ("residual"), or from a box beside ("positions").
        start: Id of a node.
        end: Id of a node.
    """

    kind: ArrowKind
    start: str
    end: str


@dataclass(frozen=True)
class Stack:
    """A column.

    Attributes:
        name: By which nodes say that they belong to it.
        layers: What each of its layers is called.
    """

    name: str
    layers: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """A model's parts.

    Attributes:
        stacks: One, or two from left to right.
        nodes: Of each stack from the bottom up.
        arrows: Between them.
        texts: Replacements for some of `DEFAULT_ARCHITECTURE_TEXTS`.
    """

    stacks: Sequence[Stack]
    nodes: Sequence[Node]
    arrows: Sequence[Arrow]
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def ids(self) -> tuple[str, ...]:
        """All parts along the flow of data."""
        return tuple(node.id for node in self.nodes if node.shape == "part")


def pack(architecture: Architecture) -> bytes:
    """Write an architecture as the one block of bytes that the component reads."""
    texts = complete(architecture.texts, DEFAULT_ARCHITECTURE_TEXTS)
    return framed({**dataclasses.asdict(architecture), "texts": texts})
