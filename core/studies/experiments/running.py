"""Trains the variants of an experiment, one after the other, and keeps what was measured of each.

What is finished is not trained again, and a training that was stopped goes on where it was.
"""

import json
import platform
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import torch

from ...files import write_atomically
from ...runs.files import is_run
from ...runs.folder import versions
from ...runs.run import load_run
from ...tasks import TASKS
from ...training.prepare import prepare_run
from ...training.presets import MODEL_SETTINGS, train_command
from ...training.trainer import complete_run
from . import EXPERIMENTS
from .experiment import BASE, PRESET, Experiment, Variant
from .measuring import measured
from .results import SHIPPED, Results, Trained

RUNS = "runs"
"""Folder of the runs of an experiment, with their weights."""


@dataclass(frozen=True, slots=True)
class Step:
    """How far an experiment is."""

    variant: Variant
    seed: int
    done: int
    """Trainings that are finished and measured."""
    of: int
    step: int
    """Of the training under way."""
    steps: int


def expected_seconds(experiment: Experiment, seeds: int, folder: Path = SHIPPED) -> float | None:
    """Return about how long an experiment takes on the machine of the shipped results.

    A training counts as the median of all that take as many steps on the same task, whichever
    experiment they belong to: beside some of them the machine did other things.

    Returns:
        Seconds, one training after the other; None where nothing is known.

    Raises:
        ValueError: A file there holds something else.
        OSError: It cannot be read.
    """
    alike = [each for each in EXPERIMENTS.values() if _work(each) == _work(experiment)]
    known = [Results.found(each.name, folder) for each in alike]
    seconds = [each.seconds for results in known if results for each in results.trained]
    return seeds * len(experiment.variants) * median(seconds) if seconds else None


def _work(experiment: Experiment) -> tuple[str, int]:
    """Return what a training of an experiment learns, and in how many steps."""
    return experiment.task, experiment.preset(experiment.variant(BASE), 0).training.steps


def run_of(folder: Path, variant: Variant) -> Path:
    """Return the run of a variant, with its weights: that of the first seed."""
    return _run(folder, variant.name, 0)


def keep_run(folder: Path, experiment: Experiment, variant: Variant, runs: Path) -> Path:
    """Copy a variant's run to the runs, where every view can show it; return the copy.

    One that was copied before is not copied again.

    Raises:
        OSError: It is not there, or cannot be copied.
    """
    kept = runs / f"{experiment.name}-{variant.name}"
    if not kept.exists():
        begun = runs / f".{kept.name}"
        shutil.rmtree(begun, ignore_errors=True)
        shutil.copytree(run_of(folder, variant), begun)
        begun.rename(kept)
    return kept


def run_experiment(
    experiment: Experiment, out: Path, seeds: int, command: str = ""
) -> Iterator[Step]:
    """Train what is missing, and write `out/NAME.json` when all is there.

    Raises:
        ConfigError: The settings of a variant do not go together.
        RunError: A run that was begun cannot go on.
        OSError: Something cannot be written.
    """
    # All seeds of the first variant would keep one waiting for a first comparison.
    ordered = in_order(experiment)
    wanted = [(variant, seed) for seed in range(seeds) for variant in ordered]
    found: list[Trained] = []
    for variant, seed in wanted:
        file = _measurement(out, variant.name, seed)
        if not file.exists() or _still_needed(experiment, variant, seed, out):
            path = _run(out, variant.name, seed)
            for step, steps in _train(experiment, variant, seed, out):
                yield Step(variant, seed, len(found), len(wanted), step, steps)
            figures = measured(load_run(path), experiment, variant, seed)
            write_atomically(file, json.dumps(asdict(figures), indent=1).encode())
        found.append(Trained.read(json.loads(file.read_text(encoding="utf-8"))))
        yield Step(variant, seed, len(found), len(wanted), 0, 0)
        # Only the first seed is looked at; others may have been what variants started from.
        if seed and variant == ordered[-1]:
            for each in ordered:
                shutil.rmtree(_run(out, each.name, seed), ignore_errors=True)
    Results(
        experiment=experiment.name,
        trained=tuple(found),
        command=command,
        machine=f"{platform.machine()}, threads: {torch.get_num_threads()}",
        versions=versions(),
    ).save(out / f"{experiment.name}.json")


def in_order(experiment: Experiment) -> list[Variant]:
    """Return the variants, first those whose weights others start from."""
    return sorted(experiment.variants, key=lambda each: bool(each.start))


def _run(out: Path, variant: str, seed: int) -> Path:
    return out / RUNS / f"{variant}-{seed}"


def _measurement(out: Path, variant: str, seed: int) -> Path:
    return out / f"{variant}-{seed}.json"


def _still_needed(experiment: Experiment, variant: Variant, seed: int, out: Path) -> bool:
    """Say whether weights that another variant is yet to start from are gone."""
    waiting = [
        each
        for each in experiment.variants
        if each.start == variant.name and not _measurement(out, each.name, seed).exists()
    ]
    return bool(waiting) and not is_run(_run(out, variant.name, seed))


def _train(
    experiment: Experiment, variant: Variant, seed: int, out: Path
) -> Iterator[tuple[int, int]]:
    """Train a run to its end; yield the steps that are done, and all of them."""
    path = _run(out, variant.name, seed)
    start = _run(out, variant.start, seed) if variant.start else None
    preset = experiment.preset(variant, seed)
    if not is_run(path):
        changes = {**experiment.settings, **variant.changes}
        if start is not None:
            # The model is that of the start.
            changes = {name: value for name, value in changes.items() if name not in MODEL_SETTINGS}
        task = experiment.task_of(variant)
        files = {"task": [task]} | ({} if start is None else {"start": [start.name]})
        command = train_command(Path(path.name), files, PRESET, {"seed": seed, **changes})
        prepare_run(path, TASKS[task], PRESET, preset, command, start=start)
    for progress in complete_run(path):
        yield progress.train_step.step, preset.training.steps
