"""Trains the variants of an experiment, one after the other, and keeps what was measured of each.

What is finished is not trained again, and a training that was stopped goes on where it was.
"""

import json
import platform
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

import torch

from core.analysis.attribution.distance import influence_by_distance
from core.analysis.effects.silencing import Silenceable
from core.evaluate.evaluation import held_out_pairs, pairs_of
from core.evaluate.metrics import sorted_batches
from core.experiments.experiment import PRESET, Experiment, Variant
from core.experiments.results import SHIPPED, Results, Trained
from core.files import write_atomically
from core.runs.folder import versions
from core.runs.records import read_rows
from core.runs.run import Run, is_run, load_run
from core.tasks import TASKS, Sample
from core.tasks.copying import Copying
from core.tasks.reversing import Reversing
from core.training.prepare import prepare_run
from core.training.trainer import complete_run

N_MEASURED = 1000
"""Held-out sentences by which lengths are compared."""
N_DIFFERENTIATED = 100
"""Held-out sentences of which gradients are taken."""
N_BEYOND = 100
"""Rows of each length that training never draws."""
RUNS = "runs"
"""Folder of the runs of an experiment, with their weights."""
_CURVE = ("step", "loss", "held_out_exact_match")


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
    """Return how long an experiment takes on a machine like the one of the shipped results.

    Args:
        experiment: Which.
        seeds: Trainings of each variant.
        folder: Of the shipped results; where its own are missing, others' trainings count, which
            are as long.

    Returns:
        Seconds, one training after the other; None where nothing is known.

    Raises:
        ValueError: A file there holds something else.
        OSError: It cannot be read.
    """
    of = Results.found(experiment.name, folder)
    known = [of] if of else [Results.load(path) for path in sorted(folder.glob("*.json"))]
    seconds = [each.seconds for results in known for each in results.trained]
    if not seconds:
        return None
    return seeds * len(experiment.variants) * sum(seconds) / len(seconds)


def run_of(folder: Path, variant: Variant) -> Path:
    """Return the run of a variant, with its weights: that of the first seed."""
    return folder / RUNS / f"{variant.name}-0"


def keep_run(folder: Path, experiment: Experiment, variant: Variant, runs: Path) -> Path:
    """Copy a variant's run to the runs, where every view can show it; return the copy.

    One that was copied before is not copied again.

    Args:
        folder: Of the experiment.
        experiment: Which.
        variant: One that was trained with the first seed.
        runs: The folder of runs.

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

    Args:
        experiment: What.
        out: A folder; made if missing.
        seeds: The first is 0.
        command: What does the same again.

    Raises:
        ConfigError: The settings of a variant do not go together.
        RunError: A run that was begun cannot go on.
        OSError: Something cannot be written.
    """
    # All seeds of the first variant would keep one waiting for a first comparison.
    wanted = [(variant, seed) for seed in range(seeds) for variant in experiment.variants]
    found: list[Trained] = []
    for variant, seed in wanted:
        file = out / f"{variant.name}-{seed}.json"
        if not file.exists():
            path = out / RUNS / f"{variant.name}-{seed}"
            for step, steps in _train(experiment, variant, seed, path):
                yield Step(variant, seed, len(found), len(wanted), step, steps)
            measured = _measured(load_run(path), experiment, variant, seed)
            written = json.dumps(asdict(measured), indent=1)
            write_atomically(file, written.encode())
            # Only the first seed is looked at.
            if seed:
                shutil.rmtree(path)
        found.append(Trained.read(json.loads(file.read_text(encoding="utf-8"))))
        yield Step(variant, seed, len(found), len(wanted), 0, 0)
    Results(
        experiment=experiment.name,
        trained=tuple(found),
        command=command,
        machine=f"{platform.machine()}, threads: {torch.get_num_threads()}",
        versions=versions(),
    ).save(out / f"{experiment.name}.json")


def _train(
    experiment: Experiment, variant: Variant, seed: int, path: Path
) -> Iterator[tuple[int, int]]:
    """Train a run to its end; yield the steps that are done, and all of them."""
    preset = experiment.preset(variant, seed)
    if not is_run(path):
        changes = {**experiment.settings, **variant.changes}
        settings = " ".join(f"--set {name}={value}" for name, value in changes.items())
        command = f"python -m core train {path.name} --task {experiment.task} --preset {PRESET}"
        prepare_run(
            path, TASKS[experiment.task], PRESET, preset, f"{command} --seed {seed} {settings}"
        )
    for progress in complete_run(path):
        yield progress.train_step.step, preset.training.steps


def _measured(run: Run, experiment: Experiment, variant: Variant, seed: int) -> Trained:
    assert run.evaluation is not None
    rows, pronoun = list(read_rows(run.path)), run.evaluation["pronoun"]
    learned = [row for row in rows if all(name in row for name in _CURVE)]
    return Trained(
        variant=variant.name,
        seed=seed,
        parameters=sum(each.numel() for each in run.model.parameters()),
        seconds=float(rows[-1].get("seconds", 0.0)),
        n=run.evaluation["n"],
        exact_match=run.evaluation["exact_match"],
        loss=run.evaluation["loss"],
        pronouns=None if pronoun is None else pronoun["accuracy"],
        n_pronouns=0 if pronoun is None else pronoun["n"],
        by_length=_by_length(run, experiment.beyond),
        curve={name: [float(row[name]) for row in learned] for name in _CURVE},
        by_distance=_by_distance(run) if experiment.by_distance else (),
    )


def _by_length(run: Run, beyond: Sequence[int]) -> tuple[tuple[int, int, int], ...]:
    pairs = [pair for group in sorted_batches(held_out_pairs(run, N_MEASURED, 0)) for pair in group]
    pairs += [pair for length in beyond for pair in pairs_of(run, _of_length(run, length))]
    right = [
        each
        for at in range(0, len(pairs), N_MEASURED)
        for each in Silenceable(run.model, pairs[at : at + N_MEASURED]).figures().right_N
    ]
    lengths = [(len(pair.source) - 1, bool(each)) for pair, each in zip(pairs, right, strict=True)]
    return tuple(
        (length, len(found), sum(each for _, each in found))
        for length, group in groupby(lengths, key=lambda each: each[0])
        for found in [list(group)]
    )


def _of_length(run: Run, length: int) -> list[Sample]:
    """Return rows of so many symbols, the same whenever they are asked for."""
    task, rng = TASKS[run.settings.task], random.Random(length)
    assert isinstance(task, Copying | Reversing)
    return [task.of_length(rng, length) for _ in range(N_BEYOND)]


def _by_distance(run: Run) -> tuple[tuple[int, int, float], ...]:
    sources = [pair.source for pair in held_out_pairs(run, N_DIFFERENTIATED, 0)]
    found = influence_by_distance(run.model, sources)
    return tuple((each.distance, each.pairs, each.norm) for each in found)
