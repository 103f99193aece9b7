"""Silencing one head after the other as a process of its own, which outlives the page that asked.

    python -m core.studies.effects.pruning_job RUN N

What comes of it is pruning.json, in the run's folder.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from core.device import use_one_thread
from core.jobs.job import Files, Job
from core.jobs.process import Work, main, working
from core.messages import N_
from core.runs.run import Run, RunError, load_run, read_settings
from core.studies.effects.ablation import every_head
from core.studies.effects.head_effects import head_effects
from core.studies.effects.pruning import (
    BY_SCORE,
    GREEDY,
    N_PRUNED,
    PruningPoint,
    greedy_passes,
    pruning_by_score,
)
from core.studies.effects.stored import store_pruning, stored_effects

PRUNING = Job(
    "core.studies.effects.pruning_job",
    N_("silencing this run's heads one after the other"),
    Files.named("pruning"),
    error=RunError,
)


def start(path: Path, n: int = N_PRUNED) -> None:
    """Prune a run's heads in a process of its own.

    Raises:
        RunError: The folder is no run, or a process is at it.
        OSError: The folder cannot be written to.
    """
    read_settings(path)
    PRUNING.start(path, n)


def pruned(run: Run, n: int = N_PRUNED) -> Iterator[tuple[str, PruningPoint | None]]:
    """Yield the points of both orders, and store them at the end.

    The fixed order is that of the stored costs in loss, or of costs measured on `n` sentences.

    Yields:
        The order and its next point; None after each pass that looks for one.

    Raises:
        RunError: The run's task is a file of pairs that cannot be used any more.
        OSError: The folder cannot be written to.
    """
    stored = stored_effects(run)
    effects = stored.heads if stored else tuple(head_effects(run, n))
    scores = {each.head: each.loss.change for each in effects}
    orders = {GREEDY: greedy_passes(run, n), BY_SCORE: pruning_by_score(run, scores, n)}
    found: dict[str, list[PruningPoint]] = {order: [] for order in orders}
    for order, points in orders.items():
        for point in points:
            if point is not None:
                found[order].append(point)
            yield order, point
    store_pruning(run, found)


def n_passes(run: Run) -> int:
    """Return how often the sentences are read: of each head that is left, and once at each point.

    The greedy order measures every head that is left at every step.
    """
    n_heads = len(every_head(run.model))
    return n_heads * (n_heads + 1) // 2 + 2 * (n_heads + 1)


def _process(path: Path, n: str) -> Iterator[object]:
    use_one_thread()
    with working(PRUNING, path) as work:
        yield from _pruned(work, load_run(path), int(n))


def _pruned(work: Work, run: Run, n: int) -> Iterator[object]:
    yield from work.counted(pruned(run, n), n_passes(run))


if __name__ == "__main__":
    sys.exit(main(PRUNING, _process))
