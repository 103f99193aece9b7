"""How many heads a task needs: heads are silenced one after the other, and stay silent.

    python -m core.studies.effects.pruning RUN N

is the process that measures it; the result is pruning.json, in the run's folder.

Source: Michel et al. (2019), "Are Sixteen Heads Really Better than One?", section 4.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from ...device import use_one_thread
from ...evaluate.evaluation import held_out_pairs
from ...files import as_json, write_atomically
from ...heads import Head
from ...jobs.job import Files, Job
from ...jobs.process import main, working
from ...messages import N_
from ...runs.files import PRUNING as FILE
from ...runs.files import check_numbers, damaged, read_json
from ...runs.metrics import check_figures
from ...runs.run import Run, RunError, load_run, read_settings
from ..heads.question import heads_of
from .head_effects import Silenceable
from .measuring import fingerprint

PRUNING = Job(
    "core.studies.effects.pruning",
    N_("silencing this run's heads one after the other"),
    Files.named("pruning"),
    error=RunError,
)
N_PRUNED, SEED = 100, 0
"""Held-out sentences, and what draws them: the greedy order measures every head that is left at
every step."""
_GREEDY = "greedy"
"""What the order is called in the file, which once held another one, too."""


@dataclass(frozen=True, slots=True)
class PruningPoint:
    """How good the model is with some of its heads."""

    removed: Head | None
    """Silenced last; None at the first point, where no head is silent."""
    n_left: int
    """Heads that are not silent."""
    exact_match: float
    """Share of sentences whose greedy translation is the target."""
    loss: float
    """Cross-entropy per token after the true prefix, in nats."""
    n: int
    """Held-out sentences."""


@dataclass(frozen=True, slots=True)
class PruningCurve:
    """How good a run is as one head after the other is silenced."""

    points: tuple[PruningPoint, ...]
    """From all heads down to none; empty where nothing was measured."""

    def table(self) -> dict[str, list[object]]:
        """Return a row for each point."""
        return {
            "heads_left": [each.n_left for each in self.points],
            "silenced_last": [str(each.removed or "") for each in self.points],
            "exact_match": [each.exact_match for each in self.points],
            "loss": [each.loss for each in self.points],
            "n": [each.n for each in self.points],
        }


def greedy_pruning(run: Run, n: int = N_PRUNED, seed: int = SEED) -> Iterator[PruningPoint | None]:
    """Silence each time the head without which the loss after true prefixes is lowest.

    The same sentences choose the head and give the point, so that the curve is a little kinder
    than on others. H heads take about H²/2 passes over the sentences.

    Yields:
        The points, and None after each pass that looks for the next one.
    """
    silenceable = Silenceable(run.model, held_out_pairs(run, n, seed))
    left = heads_of(run.model)
    silent: list[Head] = []
    yield _point(silenceable, silent, len(left))
    while left:
        losses = {}
        for head in left:
            losses[head] = silenceable.figures([*silent, head]).loss
            yield None
        cheapest = min(left, key=lambda head: losses[head])
        left.remove(cheapest)
        silent.append(cheapest)
        yield _point(silenceable, silent, len(left))


def _point(silenceable: Silenceable, silent: Sequence[Head], n_left: int) -> PruningPoint:
    figures, removed = silenceable.figures(silent), silent[-1] if silent else None
    return PruningPoint(removed, n_left, figures.exact_match, figures.loss, silenceable.n)


def heads_needed(points: Sequence[PruningPoint], tolerance: float = 0.01) -> int | None:
    """Return how many heads are left before a curve first loses more than a tolerance.

    A later point that is as good again by chance does not count.

    Args:
        points: The first has all heads.
        tolerance: The share of sentences that may be lost.

    Returns:
        None where all heads match no larger share than the tolerance: nothing can be lost.
    """
    if points[0].exact_match <= tolerance:
        return None
    least = points[0].exact_match - tolerance
    return [*takewhile(lambda point: point.exact_match >= least, points)][-1].n_left


def pruned(run: Run, n: int = N_PRUNED) -> Iterator[PruningPoint | None]:
    """Yield what `greedy_pruning` does, and store the points at the end."""
    found: list[PruningPoint] = []
    for point in greedy_pruning(run, n):
        if point is not None:
            found.append(point)
        yield point
    store_pruning(run, found)


def n_passes(run: Run) -> int:
    """Return how often `pruned` reads the sentences: for each head left, and at each point."""
    n_heads = len(heads_of(run.model))
    return n_heads * (n_heads + 1) // 2 + n_heads + 1


def store_pruning(run: Run, points: Sequence[PruningPoint]) -> None:
    """Write pruning.json whole or not at all."""
    content = {
        "weights": fingerprint(run.model),
        "n": points[0].n,
        "seed": SEED,
        "orders": {_GREEDY: list(map(_point_json, points))},
    }
    write_atomically(run.path / FILE, as_json(content))


def pruning_curve(run: Run, n: int) -> PruningCurve:
    """Return what was stored of these weights and of `n` sentences.

    Raises:
        RunError: pruning.json does not hold a curve, or not one of the model's heads.
    """
    if not (run.path / FILE).exists():
        return PruningCurve(())
    stored = read_json(run.path, FILE)
    try:
        check_numbers(stored, ("n", "seed"))
        measured = fingerprint(run.model), n, SEED
        if (stored.get("weights"), stored["n"], stored["seed"]) != measured:
            return PruningCurve(())
        points = tuple(_read_point(each, n) for each in stored["orders"][_GREEDY])
        heads = heads_of(run.model)
        if [each.n_left for each in points] != list(range(len(heads), -1, -1)):
            raise ValueError("its points are not one for each number of heads")
        if points[0].removed or {each.removed for each in points[1:]} != set(heads):
            raise ValueError("it speaks of other heads than the model has")
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise damaged(run.path, FILE, repr(error)) from error
    return PruningCurve(points)


def _point_json(point: PruningPoint) -> dict[str, Any]:
    return {
        "removed": None if point.removed is None else str(point.removed),
        "n_left": point.n_left,
        "exact_match": point.exact_match,
        "loss": point.loss,
    }


def _read_point(stored: Mapping[str, Any], n: int) -> PruningPoint:
    check_figures(stored, ("n_left", "exact_match", "loss"))
    removed = None if stored["removed"] is None else Head.parse(str(stored["removed"]))
    figures = float(stored["exact_match"]), float(stored["loss"])
    return PruningPoint(removed, int(stored["n_left"]), *figures, n)


def start(path: Path, n: int = N_PRUNED) -> None:
    """Prune a run's heads in a process of its own.

    Raises:
        RunError: The folder is no run, or a process is at it.
        OSError: The folder cannot be written to.
    """
    read_settings(path)
    PRUNING.start(path, n)


def _process(path: Path, n: str) -> Iterator[object]:
    use_one_thread()
    with working(PRUNING, path) as work:
        run = load_run(path)
        yield from work.counted(pruned(run, int(n)), n_passes(run))


if __name__ == "__main__":
    sys.exit(main(PRUNING, _process))
