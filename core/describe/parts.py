"""The records of a description, and the sketch that collects a model's parts."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from torch import nn

from ..config import ModelConfig
from ..heads import Side, Site, Stack
from ..messages import N_

ArrowKind = Literal["flow", "query", "key", "value", "memory", "residual", "positions", "tied"]

ATTENTION = N_("attention")
FEED_FORWARD = N_("feed-forward")
EMBEDDINGS = N_("embeddings and output")
NORMS = N_("norms")
MIXING = N_("mixing")
RECURRENCE = N_("recurrence")
GROUPS = (ATTENTION, FEED_FORWARD, EMBEDDINGS, NORMS)
"""The groups of the built-in parts; a new kind of part may add another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Something that data goes through. The sketch fills in its location."""

    id: str
    label: str
    """Label in the drawing; a message to translate."""
    stack: Stack = "encoder"
    layer: int | None = None
    """None outside of the layers."""
    block: str = ""
    """The part whose residual block it belongs to; "" outside of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens(Node):
    """Tokens that go into a stack or come out of the model."""

    side: Side
    """Whose tokens they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum(Node):
    """Adds up its inputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Node):
    """A box of the drawing: a module, or what a module does without weights."""

    kind: str
    """Kind, equal for parts that do the same: `self`, `norm`."""
    group: str
    """Name under which its parameters are summed; "" if it has none."""
    title: str = N_("{place}: {part}")
    """Its name; {place} is its layer or stack, {part} the label of the part whose block it is in,
    or its own. A message to translate."""
    count: str = ""
    """Number of parameters in LaTeX; "" if there is no formula."""
    site: Site | None = None
    """Site of its steps."""
    parameters: int = 0
    """Number of parameters; a shared matrix counts at its first occurrence. Filled in by the
    sketch, as are the two below."""
    shared: bool = False
    """True if it shares a matrix with an earlier part."""
    step: str = ""
    """For a part in a residual block, the block's formula in LaTeX."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """The output of one node goes to another; `tied` parts share a matrix."""

    kind: ArrowKind
    start: str
    end: str


class Sketch:
    """Collects the descriptions of modules, from the bottom of the picture to its top."""

    def __init__(self, config: ModelConfig) -> None:
        self.config = config
        self.nodes: list[Node] = []
        self.arrows: list[Arrow] = []
        self.stack: Stack = "encoder"
        self._side: Side = "source"
        self.end = ""
        """The current last node."""
        self.memory = ""
        """The node whose output cross-attention reads."""
        self.depths: dict[Stack, list[str]] = {"encoder": [], "decoder": []}
        """The last node of each layer."""
        self._layer: int | None = None
        self._block, self._step = "", ""
        self._owners: dict[int, str] = {}

    def begin(self, stack: Stack, tokens: Side, label: str) -> None:
        """Begin a stack with the tokens of one side."""
        self.stack, self.end, self._side = stack, "", tokens
        self.tokens(tokens, label)

    def tokens(self, node: str, label: str) -> None:
        """Add input or output tokens."""
        self._place(Tokens(id=node, label=label, side=self._side))

    @contextmanager
    def layer(self, number: int) -> Iterator[None]:
        """Add to a layer within this context."""
        self._layer = number
        yield
        self._layer = None

    @contextmanager
    def residual(self, part: str, step: str, *, passed: bool = True) -> Iterator[None]:
        """Add to a part's residual block within this context.

        Args:
            part: Its id.
            step: The block's formula in LaTeX.
            passed: False without a residual connection.
        """
        before, self._block, self._step = self.end, part, step
        yield
        self._block, self._step = "", ""
        if passed:
            self.arrow("residual", before, self.end)

    def add(
        self,
        part: Part,
        learned: Iterable[nn.Parameter] = (),
        enters: tuple[ArrowKind, ...] = ("flow",),
    ) -> None:
        """Add a part after the current last node.

        Args:
            part: The part; the sketch fills in its location and number of parameters.
            learned: Its parameters; those of earlier parts are not counted again.
            enters: Kinds of its incoming arrows; none for a part beside the stream.
        """
        parameters, owners = 0, dict[str, None]()
        for each in learned:
            if id(each) in self._owners:
                owners[self._owners[id(each)]] = None
            else:
                parameters += each.numel()
            self._owners[id(each)] = part.id
        placed = replace(part, parameters=parameters, shared=bool(owners), step=self._step)
        self._place(placed, enters)
        for owner in owners:
            self.arrow("tied", owner, part.id)

    def sum(self, node: str) -> None:
        """Add a sum of the current last node and of further arrows."""
        self._place(Sum(id=node, label="+"))

    def arrow(self, kind: ArrowKind, start: str, end: str) -> None:
        """Add an arrow beside those from each node to the next."""
        self.arrows.append(Arrow(kind, start, end))

    def _place(self, node: Node, enters: tuple[ArrowKind, ...] = ("flow",)) -> None:
        placed = replace(node, stack=self.stack, layer=self._layer, block=self._block)
        self.nodes.append(placed)
        if not enters:
            return
        if self.end:
            self.arrows.extend(Arrow(kind, self.end, node.id) for kind in enters)
        self.end = node.id
