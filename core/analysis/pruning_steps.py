"""Pruning that goes on step by step, for as long as somebody wants to see more of it."""

import threading
from collections.abc import Callable, Iterator

from core.analysis.pruning import PruningPoint


class GrowingCurve:
    """The points of a curve so far, shared by all who look at it."""

    def __init__(self, begin: Callable[[], Iterator[PruningPoint]], n_heads: int) -> None:
        """Keep what yields the points; nothing is measured yet.

        Args:
            begin: Yields the points, from all heads down to none.
            n_heads: That the model has.
        """
        self.n_heads = n_heads
        self._begin = begin
        self._coming = begin()
        self._found: list[PruningPoint] = []
        self._going_on = threading.Lock()

    @property
    def points(self) -> tuple[PruningPoint, ...]:
        """What is measured."""
        return tuple(self._found)

    @property
    def done(self) -> bool:
        """Whether no head is left."""
        return len(self._found) == self.n_heads + 1

    @property
    def share(self) -> float:
        """How much of the work of a greedy order is done, from 0 to 1.

        Each of its steps measures every head that is left.

        >>> GrowingCurve(lambda: iter(()), 4).share
        0.0
        """
        left = self.n_heads + 1 - len(self._found)
        return 1.0 - left * (left + 1) / ((self.n_heads + 1) * (self.n_heads + 2))

    def go_on(self) -> None:
        """Measure one point more; nothing where all are measured, or somebody else is at it.

        Raises:
            RunError: The run's task is a file of pairs that cannot be used any more.
        """
        if self.done or not self._going_on.acquire(blocking=False):
            return
        try:
            self._found.append(next(self._coming))
        except Exception:
            # Whoever tries again begins anew.
            self._coming, self._found = self._begin(), []
            raise
        finally:
            self._going_on.release()
