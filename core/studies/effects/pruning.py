"""How many heads a task needs: heads are silenced one after the other, and stay silent.

Source: Michel et al. (2019), "Are Sixteen Heads Really Better than One?", section 4.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from core.evaluate.evaluation import held_out_pairs
from core.heads import Head
from core.runs.run import Run
from core.studies.effects.ablation import Silenceable, every_head

N_PRUNED = 100
"""Held-out sentences: the greedy order measures every head that is left at every step."""


SEED = 0


GREEDY, BY_SCORE = "greedy", "by_score"
"""The orders: by what is lost together with those that have gone, or by what each costs alone."""


@dataclass(frozen=True, slots=True)
class PruningPoint:
    """How good the model is with so many heads."""

    removed: Head | None
    """Silenced last; None at the first point, where all heads speak."""
    n_left: int
    """Heads that speak."""
    exact_match: float
    """Share of sentences whose greedy translation is the target."""
    loss: float
    """Cross-entropy per token after the true prefix, in nats."""
    n: int
    """Held-out sentences."""


def greedy_pruning(run: Run, n: int = N_PRUNED, seed: int = SEED) -> Iterator[PruningPoint]:
    """Silence each time the head without which the loss after true prefixes is lowest.

    The same sentences choose the head and give the point, so that the curve is a little kinder
    than on others. H heads take about H²/2 passes over the sentences.

    Raises:
        RunError: The run's task is a file of pairs that cannot be used any more.
    """
    yield from (point for point in greedy_passes(run, n, seed) if point is not None)


def greedy_passes(run: Run, n: int = N_PRUNED, seed: int = SEED) -> Iterator[PruningPoint | None]:
    """Yield the points of `greedy_pruning`, and None after each pass that looks for the next one.

    Raises:
        RunError: The run's task is a file of pairs that cannot be used any more.
    """
    silenceable = Silenceable(run.model, held_out_pairs(run, n, seed))
    left = every_head(run.model)
    silent: frozenset[Head] = frozenset()
    yield _point(silenceable, None, silent, len(left))
    while left:
        losses = {}
        for head in left:
            losses[head] = silenceable.figures(silent | {head}).loss
            yield None
        cheapest = min(left, key=lambda head: losses[head])
        left.remove(cheapest)
        silent |= {cheapest}
        yield _point(silenceable, cheapest, silent, len(left))


def pruning_by_score(
    run: Run, scores: Mapping[Head, float], n: int = N_PRUNED, seed: int = SEED
) -> Iterator[PruningPoint]:
    """Silence the head with the lowest score first, among equal ones the first of the model.

    Args:
        run: A loaded run.
        scores: Of every head: its importance, by whatever measure.
        n: Held-out sentences.
        seed: Draws them.

    Raises:
        KeyError: A head has no score.
        RunError: The run's task is a file of pairs that cannot be used any more.
    """
    silenceable = Silenceable(run.model, held_out_pairs(run, n, seed))
    order = sorted(every_head(run.model), key=lambda head: scores[head])
    yield _point(silenceable, None, frozenset(), len(order))
    for number, head in enumerate(order, 1):
        yield _point(silenceable, head, frozenset(order[:number]), len(order) - number)


def heads_needed(points: Iterable[PruningPoint], tolerance: float = 0.01) -> int | None:
    """Return how many heads are left before a curve first loses more than a tolerance.

    A later point that is as good again by chance does not count.

    Args:
        points: The first has all heads.
        tolerance: The share of sentences that may be lost.

    Returns:
        None where all heads match no larger share than the tolerance: nothing can be lost.
    """
    points = list(points)
    if points[0].exact_match <= tolerance:
        return None
    least = points[0].exact_match - tolerance
    return [*takewhile(lambda point: point.exact_match >= least, points)][-1].n_left


def _point(
    silenceable: Silenceable, removed: Head | None, silent: frozenset[Head], n_left: int
) -> PruningPoint:
    figures = silenceable.figures(silent)
    return PruningPoint(removed, n_left, figures.exact_match, figures.loss, silenceable.n)


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
