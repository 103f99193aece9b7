"""What a description consists of, and the sketch that the parts of a model are put into."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from torch import nn

from core.config import ModelConfig
from core.heads import Side, Site, Stack
from core.messages import N_

Shapes = tuple[tuple[str, tuple[int, ...]], ...]
Code = tuple[type | Callable[..., object], ...]
ArrowKind = Literal["flow", "query", "key", "value", "memory", "residual", "positions", "tied"]

ATTENTION = N_("attention")
FEED_FORWARD = N_("feed-forward")
EMBEDDINGS = N_("embeddings and output")
NORMS = N_("norms")
MIXING = N_("mixing")
RECURRENCE = N_("recurrence")
GROUPS = (ATTENTION, FEED_FORWARD, EMBEDDINGS, NORMS)
"""The groups that the model's own parts belong to; a new kind of part may bring another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Something that data goes through. Where it stands is filled in by the sketch."""

    id: str
    label: str
    """What is written on it; a message to translate."""
    stack: Stack = "encoder"
    layer: int | None = None
    """None outside of the layers."""
    block: str = ""
    """The part whose residual block it belongs to, with its norm or its sum; "" outside of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens(Node):
    """What goes into a stack, and what comes out in the end."""

    side: Side
    """Whose tokens they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum(Node):
    """Adds up what leads to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Node):
    """A box of the drawing: a module, or what a module does without weights."""

    kind: str
    """What parts that do the same have in common: `self`, `norm`."""
    group: str
    """Under which name its parameters are summed; "" if nothing can be learned."""
    shapes: Shapes
    """Name → sizes for one sentence: `input` first, `output` last, its steps between them."""
    formula: str
    """What it computes, in LaTeX."""
    code: Code
    """What computes it."""
    title: str = N_("{place}: {part}")
    """Its name; {place} is its layer or stack, {part} the label of the part whose block it is in,
    or its own. A message to translate."""
    count: str = ""
    """How many numbers it learns, in LaTeX; "" if there is no formula."""
    site: Site | None = None
    """Under which a probe finds its steps."""
    multiply_adds: int = 0
    """Multiplications, each with its addition, in the matrix products of one forward pass."""
    parameters: int = 0
    """Numbers that are learned here; a shared matrix counts where it comes first. Filled in by the
    sketch, as are the two below."""
    shared: bool = False
    """True where a matrix is that of an earlier part."""
    step: str = ""
    """Of a part in a residual block: what the block makes of the stream, in LaTeX."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """What one node makes goes to another; `tied` parts have a matrix in common."""

    kind: ArrowKind
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many tokens go through each stack."""

    source: int
    """EOS included."""
    target: int
    """BOS included."""

    def of(self, stack: Stack) -> int:
        """Return how many go through a stack."""
        return self.source if stack == "encoder" else self.target


class Sketch:
    """Where modules write down what they are, from the bottom of the picture to its top."""

    def __init__(self, lengths: Lengths, config: ModelConfig) -> None:
        self.lengths, self.config = lengths, config
        self.d_model = config.d_model
        self.nodes: list[Node] = []
        self.arrows: list[Arrow] = []
        self.stack: Stack = "encoder"
        self._side: Side = "source"
        self.end = ""
        """The node whose output goes on."""
        self.memory = ""
        """The node whose output cross-attention looks at."""
        self.depths: dict[Stack, list[str]] = {"encoder": [], "decoder": []}
        """The last node of each layer."""
        self._layer: int | None = None
        self._block, self._step = "", ""
        self._owners: dict[int, str] = {}

    @property
    def length(self) -> int:
        """Tokens that go through the stack."""
        return self.lengths.of(self.stack)

    @property
    def stream(self) -> tuple[int, int]:
        """Shape of the residual stream of one sentence."""
        return self.length, self.d_model

    def begin(self, stack: Stack, tokens: Side, label: str) -> None:
        """Go on with a stack, whose tokens are of one side and have a label."""
        self.stack, self.end, self._side = stack, "", tokens
        self.tokens(tokens, label)

    def tokens(self, node: str, label: str) -> None:
        """Add what goes in or comes out."""
        self._place(Tokens(id=node, label=label, side=self._side))

    @contextmanager
    def layer(self, number: int) -> Iterator[None]:
        """Put what is added meanwhile into a layer."""
        self._layer = number
        yield
        self._layer = None

    @contextmanager
    def residual(self, part: str, step: str, *, passed: bool = True) -> Iterator[None]:
        """Put what is added meanwhile into a part's block; the stream leads past it to its end.

        Args:
            part: Its id.
            step: What the block makes of the stream, in LaTeX.
            passed: False where the stream does not lead past it.
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
        """Add a part; what came before leads into it, and what it makes goes on.

        Args:
            part: What it is; the sketch fills in where it stands and how much is learned there.
            learned: Its parameters; those that an earlier part has are not counted again.
            enters: In which ways data comes in; none for a part that stands beside the stream.
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
        """Add a sum of what came before and of what further arrows bring."""
        self._place(Sum(id=node, label="+"))

    def arrow(self, kind: ArrowKind, start: str, end: str) -> None:
        """Add a connection beside that from each node to the next."""
        self.arrows.append(Arrow(kind, start, end))

    def _place(self, node: Node, enters: tuple[ArrowKind, ...] = ("flow",)) -> None:
        placed = replace(node, stack=self.stack, layer=self._layer, block=self._block)
        self.nodes.append(placed)
        if not enters:
            return
        if self.end:
            self.arrows.extend(Arrow(kind, self.end, node.id) for kind in enters)
        self.end = node.id


def products(matrix: nn.Linear, n_positions: int) -> int:
    """Return the multiply-adds of a linear layer: one for each weight and position.

    >>> products(nn.Linear(3, 4), 5)
    60
    """
    # What is no parameter is the identity, and not multiplied with.
    learned = isinstance(matrix.weight, nn.Parameter)
    return matrix.weight.numel() * n_positions if learned else 0
