"""Long work in pieces: between them, whoever waits for it hears how far it is, or ends it.

The work says where its pieces are, and what it computes is the same whether somebody watches:

    for pair in in_pieces(pairs):
        losses.append(loss(model, pair))

Whoever waits hands `watched` a function that is told the share that is done. What that function
raises goes through the work, which keeps nothing of a part.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

from core.turns import TURNS

Item = TypeVar("Item")
Look = Callable[[float], None]
"""Is told which share of the work is done, from 0 to 1."""


@dataclass(slots=True, eq=False)
class _Stretch:
    """Work that has pieces; a piece of it may have pieces of its own."""

    done: float = 0.0
    """The share of it."""
    piece: float = 0.0
    """The share that the piece under way is."""


@dataclass(slots=True, eq=False)
class _Watch:
    """Who looks on, and what is under way, the whole first."""

    look: Look
    stretches: list[_Stretch] = field(default_factory=list)

    def tell(self) -> None:
        share, width = 0.0, 1.0
        for stretch in self.stretches:
            share += width * stretch.done
            width *= stretch.piece
        self.look(min(share, 1.0))


_watch: ContextVar[_Watch | None] = ContextVar("watch", default=None)
"""One for each thread: what others compute is not told."""


@contextmanager
def watched(look: Look) -> Iterator[None]:
    """Have a function called between the pieces of all work that is done meanwhile."""
    token = _watch.set(_Watch(look))
    try:
        yield
    finally:
        _watch.reset(token)


def is_watched() -> bool:
    """Say whether somebody looks on."""
    return _watch.get() is not None


def pause() -> None:
    """Let whoever looks on end the work here, and others have their turn.

    To be called where nobody knows what is left.
    """
    TURNS.give_way()
    watch = _watch.get()
    if watch is not None:
        watch.tell()


@contextmanager
def in_shares() -> Iterator[Look]:
    """Begin work that is told which share of it is done; what it hands out takes that.

    >>> told = []
    >>> with watched(told.append), in_shares() as tell:
    ...     tell(0.5)
    >>> told
    [0.5]
    """
    watch, stretch = _watch.get(), _Stretch()

    def tell(share: float) -> None:
        stretch.done = share
        pause()

    if watch is None:
        yield tell
        return
    watch.stretches.append(stretch)
    try:
        yield tell
    finally:
        # Work that was left in the middle is closed whenever nobody refers to it any more.
        watch.stretches.remove(stretch)


def in_pieces(items: Sequence[Item]) -> Iterator[Item]:
    """Yield the pieces of some work, each to be done before the next is asked for.

    >>> told = []
    >>> with watched(told.append):
    ...     list(in_pieces("abcd"))
    ['a', 'b', 'c', 'd']
    >>> told
    [0.0, 0.25, 0.5, 0.75]
    """
    watch = _watch.get()
    if watch is None:
        for item in items:
            TURNS.give_way()
            yield item
        return
    stretch = _Stretch(piece=1 / max(len(items), 1))
    watch.stretches.append(stretch)
    try:
        for number, item in enumerate(items):
            stretch.done = number * stretch.piece
            pause()
            yield item
    finally:
        watch.stretches.remove(stretch)
