"""Measuring what every head is for as a process of its own, which outlives the page that asked.

    python -m core.studies.effects.measuring RUN N SEED

What comes of it is heads.json, in the run's folder.
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
from core.studies.effects.head_effects import (
    N_SENTENCES,
    SEED,
    HeadEffect,
    HeadEffects,
    head_effects,
)
from core.studies.effects.stored import fingerprint, store_effects

MEASURING = Job(
    "core.studies.effects.measuring",
    N_("measuring this run's heads"),
    Files.named("heads"),
    error=RunError,
)


def start(path: Path, n: int = N_SENTENCES, seed: int = SEED) -> None:
    """Measure a run's heads in a process of its own.

    Raises:
        RunError: The folder is no run, or a process is at it.
        OSError: The folder cannot be written to.
    """
    read_settings(path)
    MEASURING.start(path, n, seed)


def measured_effects(run: Run, n: int = N_SENTENCES, seed: int = SEED) -> Iterator[HeadEffect]:
    """Yield the effect of each head, telling how far it is, and store all of them at the end.

    Raises:
        RunError: Another process is at it, the run's task cannot be used any more, or the folder
            has other weights when all is measured.
        OSError: The folder cannot be written to.
    """
    with working(MEASURING, run.path) as work:
        yield from _measured(work, run, n, seed)


def _measured(work: Work, run: Run, n: int, seed: int) -> Iterator[HeadEffect]:
    found = list[HeadEffect]()
    for effect in work.counted(head_effects(run, n, seed), len(every_head(run.model))):
        found.append(effect)
        yield effect
    of_n = found[0].exact_match.n
    effects = HeadEffects(tuple(found), of_n, seed, run.step, all_there_are=of_n < n)
    store_effects(run.path, effects, _unchanged(run))


def _unchanged(run: Run) -> str:
    """Return the fingerprint of a run's weights.

    Raises:
        RunError: Its folder holds others: training went on, or another run has its name now.
    """
    measured = fingerprint(run.model)
    if fingerprint(load_run(run.path).model) != measured:
        raise RunError(
            "{path}: the weights have changed while its heads were measured", path=run.path
        )
    return measured


def _process(path: Path, n: str, seed: str) -> Iterator[HeadEffect]:
    use_one_thread()
    with working(MEASURING, path) as work:
        yield from _measured(work, load_run(path), int(n), int(seed))


if __name__ == "__main__":
    sys.exit(main(MEASURING, _process))
