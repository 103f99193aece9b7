"""How many heads a task needs: heads are silenced one after the other, and stay silent.

Source: Michel et al. (2019), "Are Sixteen Heads Really Better than One?", section 4.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.analysis.evaluation import held_out_pairs
from core.analysis.silencing import Head, Silenceable, every_head
from core.run import Run

N_PRUNED = 100
"""Held-out sentences: the greedy order measures every head that is left at every step."""


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


def greedy_pruning(run: Run, n: int = N_PRUNED, seed: int = 0) -> Iterator[PruningPoint]:
    """Silence each time the head without which the loss after true prefixes is lowest.

    The same sentences choose the head and give the point, so that the curve is a little kinder
    than on others. H heads take about H²/2 passes over the sentences.

    Raises:
        RunError: The run's task is a file of pairs that cannot be used any more.
    """
    silenceable = Silenceable(run.model, held_out_pairs(run, n, seed))

    def cheapest(silent: frozenset[Head], left: list[Head]) -> Head:
        return min(left, key=lambda head: silenceable.figures(silent | {head}).loss)

    yield from _points(silenceable, cheapest)


def pruning_by_score(
    run: Run, scores: Mapping[Head, float], n: int = N_PRUNED, seed: int = 0
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
    yield from _points(silenceable, lambda silent, _: order[len(silent)])


def heads_needed(points: Iterable[PruningPoint], tolerance: float = 0.01) -> int:
    """Return the fewest heads of a curve that match no fewer sentences than all, but a tolerance.

    Args:
        points: The first has all heads.
        tolerance: The share of sentences that may be lost.
    """
    points = list(points)
    enough = [point for point in points if point.exact_match >= points[0].exact_match - tolerance]
    return min(point.n_left for point in enough)


def _points(
    silenceable: Silenceable, choose: Callable[[frozenset[Head], list[Head]], Head]
) -> Iterator[PruningPoint]:
    left = every_head(silenceable.model)
    silent: frozenset[Head] = frozenset()
    yield _point(silenceable, None, silent, len(left))
    while left:
        head = choose(silent, left)
        left.remove(head)
        silent |= {head}
        yield _point(silenceable, head, silent, len(left))


def _point(
    silenceable: Silenceable, removed: Head | None, silent: frozenset[Head], n_left: int
) -> PruningPoint:
    figures = silenceable.figures(silent)
    return PruningPoint(removed, n_left, figures.exact_match, figures.loss, silenceable.n)
