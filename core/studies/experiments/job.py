"""An experiment as a process of its own, which outlives the page that asked.

    python -m core.studies.experiments.job FOLDER NAME SEEDS

What comes of it is NAME.json, in the folder.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from ...config.settings import ConfigError
from ...device import use_one_thread
from ...installed import COMMAND
from ...jobs.job import Files, Job, JobError
from ...jobs.process import main, working
from ...messages import N_
from ...runs.run import RunError
from . import EXPERIMENTS
from .experiment import Experiment
from .results import Results
from .running import Step, run_experiment

RUNNING = Job(
    "core.studies.experiments.job", N_("running this experiment"), Files.named("experiment")
)
PARTS = 20
"""How often each training reports its progress."""


def start(experiment: Experiment, folder: Path, seeds: int) -> None:
    """Run what is missing of an experiment in a process of its own.

    Raises:
        JobError: A process is at it.
        OSError: The folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    RUNNING.start(folder, experiment.name, seeds)


def experiment_run(folder: Path, name: str, seeds: str) -> Iterator[int]:
    """Run an experiment, telling how far it is; yield the parts that are done.

    Raises:
        JobError: Another process is at it.
        ConfigError, RunError, OSError: A training cannot go on.
    """
    experiment, n = EXPERIMENTS[name], int(seeds)
    with working(RUNNING, folder) as work:
        use_one_thread()
        command = f"{COMMAND} experiment run {name} OUT --seeds {n}"
        # Learning rates that are known need not be tried again.
        shipped = Results.found(name)
        steps = run_experiment(experiment, folder, n, command, shipped)
        yield from work.counted(_parts(steps), PARTS * n * len(experiment.variants))


def _parts(steps: Iterator[Step]) -> Iterator[int]:
    """Yield once for each part of a training that is done."""
    reported = 0
    for step in steps:
        under_way = PARTS * step.step // step.steps if step.steps else 0
        done = PARTS * step.done + min(under_way, PARTS - 1)
        for part in range(reported, done):
            yield part + 1
        reported = max(reported, done)


if __name__ == "__main__":
    sys.exit(main(RUNNING, experiment_run, mendable=(ConfigError, RunError, JobError)))
