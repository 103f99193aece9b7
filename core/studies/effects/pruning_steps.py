"""Pruning that goes on step by step, for as long as somebody wants to see more of it.

No job in a process of its own (`core.jobs`): nothing of it is kept in the run's folder, so that
runs in a folder that cannot be written to are pruned, too.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator

from core.studies.effects.pruning import PruningPoint

SECONDS = 0.2
"""So long somebody may wait for a page, and a pass that has begun."""


class GrowingCurve:
    """The points of a curve so far, shared by all who look at it."""

    def __init__(
        self,
        begin: Callable[[], Iterator[PruningPoint | None]],
        n_heads: int,
        measured: Iterable[PruningPoint] = (),
    ) -> None:
        """Keep what yields the points; nothing else is measured yet.

        Args:
            begin: Yields the points, from all heads down to none, and None where a part of the
                work for the next one is done.
            n_heads: That the model has.
            measured: All points, where somebody measured them before.
        """
        self.n_heads = n_heads
        self._begin = begin
        self._coming = begin()
        self._found: list[PruningPoint] = list(measured)
        self._passes = 0
        """Made for the next point."""
        self._going_on = threading.Lock()

    @property
    def n_passes(self) -> int:
        """Looks at all sentences that a greedy order takes to choose: one for each head left.

        >>> GrowingCurve(lambda: iter(()), 4).n_passes
        10
        """
        return self.n_heads * (self.n_heads + 1) // 2

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
        to_do = left * (left + 1) / 2 - min(self._passes, left)
        return 1.0 - to_do / ((self.n_heads + 1) * (self.n_heads + 2) / 2)

    def go_on(self) -> None:
        """Work on the next point until it is measured, or `SECONDS` are over.

        Nothing happens where all are measured, or somebody else is at it.

        Raises:
            RunError: The run's task is a file of pairs that cannot be used any more.
        """
        if self.done or not self._going_on.acquire(blocking=False):
            return
        try:
            self._work()
        except Exception:
            # Whoever tries again begins anew.
            self._coming, self._found, self._passes = self._begin(), [], 0
            raise
        finally:
            self._going_on.release()

    def _work(self) -> None:
        until = time.monotonic() + SECONDS
        while (point := next(self._coming)) is None:
            self._passes += 1
            if time.monotonic() >= until:
                return
        self._found.append(point)
        self._passes = 0
