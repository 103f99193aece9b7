"""Parallel decoding: sentences right after some passes, and the seconds that a sentence takes."""

import time
from collections.abc import Callable
from functools import partial

from ...batch import pad
from ...decoding.generate import generate
from ...decoding.mask_predict import MaskPredict
from ...evaluate.evaluation import held_out_pairs
from ...evaluate.metrics import sorted_batches
from ...messages import N_
from ...runs.run import Run
from .measures import Measure

N_MEASURED = 1000
"""Held-out sentences among which the right ones are counted."""
N_TIMED = 30
"""Those that are decoded one by one and timed."""
REPEATS = 7
"""How often each of these is decoded."""


def _right(n_passes: int, label: str) -> Measure:
    def of(run: Run) -> float | None:
        if not run.model.config.is_parallel:
            return None
        pairs, right = held_out_pairs(run, N_MEASURED, 0), 0
        for batch in sorted_batches(pairs):
            source_BS = pad([pair.source for pair in batch], pad_id=run.model.config.pad_id)
            written = generate(run.model, source_BS, MaskPredict(n_passes))
            right += sum(pair.is_right(ids) for pair, ids in zip(batch, written, strict=True))
        return right / len(pairs)

    return Measure(f"right_{n_passes}", label, of, share=True)


def _seconds(name: str, label: str, n_passes: int | None) -> Measure:
    """Return what measures the seconds for a sentence; None: a causal decoder's, token by token."""

    def of(run: Run) -> float | None:
        if run.model.config.is_parallel is (n_passes is None):
            return None
        method = () if n_passes is None else (MaskPredict(n_passes),)
        sources = [pad([pair.source]) for pair in held_out_pairs(run, N_TIMED, 0)]
        return median_seconds([partial(generate, run.model, each, *method) for each in sources])

    return Measure(name, label, of, reported=False)


def median_seconds(calls: list[Callable[[], object]]) -> float:
    """Return the median over some calls of the seconds that each takes.

    Of each the smallest of several: what it takes where nothing else gets in its way.
    """
    found = sorted(min(_timed(call) for _ in range(REPEATS)) for call in calls)
    return found[len(found) // 2]


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


PASS_MEASURES = (
    _right(1, N_("right after 1 pass")),
    _right(2, N_("right after 2 passes")),
    _right(8, N_("right after 8 passes")),
    _seconds("seconds_1", N_("seconds a sentence, 1 pass"), 1),
    _seconds("seconds_4", N_("seconds a sentence, 4 passes"), 4),
    _seconds("seconds_steps", N_("seconds a sentence, a pass for each token"), None),
)
"""Right sentences by number of passes; 4 passes are what exact match counts."""
