"""A model drawn like the paper's Figure 1, but with the parts that it really has.

What there is to draw is handed over as boxes, sums and arrows. The picture knows what arrows mean,
but neither which parts a model has nor in which order they stand.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, get_args

from viz.component.assets import Assets, assets_of
from viz.component.payload import SIGN_TEXTS, check_texts, framed, unframed
from viz.messages import N_

# Every word of the component's own. A page may hand over others.
DEFAULT_ARCHITECTURE_TEXTS: Mapping[str, str] = {
    **SIGN_TEXTS,
    "title": N_("The model's parts; data flows upward"),
    "help": N_("Arrow keys lead from part to part."),
    "memory": N_("memory"),
    "query": N_("q"),
    "key": N_("k"),
    "value": N_("v"),
    "tied": N_("shared"),
    "png": N_("PNG"),
    "png.help": N_("Save as a picture: {title}"),
    "svg": N_("SVG"),
    "svg.help": N_("Save as a drawing: {title}"),
    "file": N_("architecture"),
}


Shape = Literal["part", "sum", "tokens"]
ArrowKind = Literal["flow", "query", "key", "value", "memory", "residual", "positions", "tied"]


@dataclass(frozen=True, kw_only=True)
class Node:
    """Something on the way of the data.

    Attributes:
        id: What a click sends.
        shape: A box that can be chosen, a ⊕, or a row of tokens.
        stack: Name of the column in which it stands.
        layer: Number of the layer of that column; None outside of all.
        block: What it shares with the nodes around which the same arrow leads; "" where none does.
        kind: Boxes of one kind have one height.
        label: What is written on it.
        name: What it is called in full.
        detail: A short second line, such as "15 × 128".
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
    """A model's parts, one of them selected.

    Attributes:
        stacks: One, or two from left to right.
        nodes: Of each stack from the bottom up.
        arrows: Between them.
        selected: A part's id.
        texts: Replacements for some of `DEFAULT_ARCHITECTURE_TEXTS`.

    Raises:
        ValueError: An id, a stack, a layer, a kind or a text belongs to nothing in this picture.
    """

    stacks: Sequence[Stack]
    nodes: Sequence[Node]
    arrows: Sequence[Arrow]
    selected: str
    texts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_texts(self.texts, DEFAULT_ARCHITECTURE_TEXTS)
        if len(self.stacks) not in (1, 2):
            raise ValueError(f"one stack or two can be drawn, not {len(self.stacks)}")
        self._check_nodes()
        self._check_arrows()
        if self.selected not in self.ids:
            raise ValueError(f"part {self.selected!r} is not in this model; it has {self.ids}")

    @property
    def ids(self) -> tuple[str, ...]:
        """All parts along the flow of data."""
        return tuple(node.id for node in self.nodes if node.shape == "part")

    def _check_nodes(self) -> None:
        layers = {stack.name: range(len(stack.layers)) for stack in self.stacks}
        if len({node.id for node in self.nodes}) < len(self.nodes):
            raise ValueError("two nodes have one id")
        for node in self.nodes:
            if node.shape not in get_args(Shape):
                raise ValueError(f"{node.id} has the shape {node.shape!r}, which cannot be drawn")
            if node.stack not in layers:
                raise ValueError(f"{node.id} stands in {node.stack!r}, which is no stack")
            if node.layer is not None and node.layer not in layers[node.stack]:
                raise ValueError(f"{node.id} stands in layer {node.layer}, which has no name")

    def _check_arrows(self) -> None:
        known = {node.id for node in self.nodes}
        for arrow in self.arrows:
            if arrow.kind not in get_args(ArrowKind):
                raise ValueError(f"an arrow of the kind {arrow.kind!r} cannot be drawn")
            if not {arrow.start, arrow.end} <= known:
                raise ValueError(f"an arrow from {arrow.start!r} to {arrow.end!r} leads nowhere")


def pack(architecture: Architecture) -> bytes:
    """Write an architecture as the one block of bytes that the component reads."""
    texts = {**DEFAULT_ARCHITECTURE_TEXTS, **architecture.texts}
    return framed({**dataclasses.asdict(architecture), "texts": texts})


def unpack(payload: bytes) -> Architecture:
    """Read a packed block again, as the component does; every text is in `texts`."""
    header, _ = unframed(payload)
    return Architecture(
        stacks=tuple(Stack(stack["name"], tuple(stack["layers"])) for stack in header["stacks"]),
        nodes=tuple(Node(**node) for node in header["nodes"]),
        arrows=tuple(Arrow(**arrow) for arrow in header["arrows"]),
        selected=header["selected"],
        texts=header["texts"],
    )


@cache
def component_assets() -> Assets:
    """Return the component's HTML, CSS and JS."""
    return assets_of("architecture/architecture")
