"""How many heads a task needs: heads are silenced one after the other, and stay silent.

Source: Michel et al. (2019), "Are Sixteen Heads Really Better than One?", section 4.
"""

from collections.abc import Iterable, Iterator, Mapping
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
