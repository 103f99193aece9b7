"""The parts of a model, and the sketch that collects them."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from torch import nn

from ..heads import Site, Stack
from ..messages import N_

ATTENTION = N_("attention")
FEED_FORWARD = N_("feed-forward")
EMBEDDINGS = N_("embeddings and output")
NORMS = N_("norms")
MIXING = N_("mixing")
RECURRENCE = N_("recurrence")
GROUPS = (ATTENTION, FEED_FORWARD, EMBEDDINGS, NORMS)
"""The groups of the built-in parts; a new kind of part may add another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A module of a model, with what it learns. The sketch fills in everything from `stack` on."""

    id: str
    label: str
    """A message to translate, as is the title."""
    group: str
    """Name under which its parameters are summed."""
    title: str = N_("{place}: {part}")
    """Its name; {place} is its layer or stack, {part} the label of the part whose block it is in,
    or its own."""
    count: str = ""
    """Number of parameters in LaTeX; "" if there is no formula."""
    site: Site | None = None
    """Site of its steps."""
    stack: Stack = "encoder"
    layer: int | None = None
    """None outside of the layers."""
    block: str = ""
    """The part whose residual block it belongs to; "" outside of one."""
    step: str = ""
    """For a part in a residual block, the block's formula in LaTeX."""
    parameters: int = 0
    """A matrix that several parts share counts where it occurs first."""


class Sketch:
    """Collects the parts of a model in the order in which data goes through."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.stack: Stack = "encoder"
        self._layer: int | None = None
        self._block, self._step = "", ""
        self._counted: set[int] = set()

    @contextmanager
    def layer(self, number: int) -> Iterator[None]:
        """Add to a layer within this context."""
        self._layer = number
        yield
        self._layer = None

    @contextmanager
    def residual(self, part: str, step: str) -> Iterator[None]:
        """Add to a part's residual block within this context; `step` is its formula in LaTeX."""
        self._block, self._step = part, step
        yield
        self._block, self._step = "", ""

    def add(self, part: Part, learned: Iterable[nn.Parameter] = ()) -> None:
        """Add a part with its parameters; those of earlier parts are not counted again."""
        new = {id(each): each.numel() for each in learned if id(each) not in self._counted}
        self._counted |= set(new)
        placed = replace(part, stack=self.stack, layer=self._layer, block=self._block)
        self.parts.append(replace(placed, step=self._step, parameters=sum(new.values())))
