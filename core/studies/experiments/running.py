"""Trains the variants of an experiment, one after the other, and keeps what was measured of each.

What is finished is not trained again, and a training that was stopped goes on where it was.
"""

import json
import math
import platform
import random
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path
from statistics import median

import torch

from ...batch import Pair
from ...config.settings import ConfigError
from ...decoding.targets import generate_targets
from ...device import use_one_thread
from ...evaluate.evaluation import held_out_pairs, pairs_of
from ...evaluate.metrics import sorted_batches
from ...files import write_atomically
from ...installed import COMMAND
from ...jobs.job import Files, Job, JobError
from ...jobs.process import main, working
from ...messages import N_
from ...runs.files import EVALUATION, is_run
from ...runs.folder import versions
from ...runs.metrics import read_rows
from ...runs.run import Run, RunError, load_run
from ...tasks import TASKS, Sample
from ...tasks.symbols import Copying, Reversing
from ...training.loop import TrainingError
from ...training.prepare import prepare_run
from ...training.presets import MODEL_SETTINGS, train_command
from ...training.trainer import complete_run
from ..attribution.encoder_gradients import by_layer, influence_by_distance
from ..effects.head_effects import Silenceable
from . import EXPERIMENTS
from .experiment import PRESET, Experiment, Variant
from .protocol import Training, chosen_rates, in_order, missing, results_of
from .results import Results, Trained

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


def run_of(folder: Path, variant: Variant) -> Path:
    """Return the run of a variant, with its weights: that of the first seed."""
    found = sorted((folder / RUNS).glob(f"{variant.name}-0*"))
    return found[0] if found else folder / RUNS / f"{variant.name}-0"


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
    experiment: Experiment,
    out: Path,
    seeds: int | None = None,
    command: str = "",
    shipped: Results | None = None,
) -> Iterator[Step]:
    """Train what is missing, and write `out/NAME.json` when all is there.

    Args:
        experiment: The question.
        out: Where everything goes.
        seeds: As many trainings of each variant, and nothing else; None for the whole protocol.
        command: Makes the results again.
        shipped: With `seeds`, results from which learning rates are taken.

    Raises:
        ConfigError: The settings of a variant do not go together.
        RunError: A run that was begun cannot go on.
        OSError: Something cannot be written.
    """
    done: list[Trained] = []
    while todo := _next(experiment, done, seeds, shipped):
        n_all = len(done) + len(todo)
        for training in todo:
            variant, file = experiment.variant(training.variant), out / f"{training.name}.json"
            if not file.exists() or _still_needed(experiment, training, out):
                for step, steps in _train(experiment, training, out, done):
                    yield Step(variant, training.seed, len(done), n_all, step, steps)
                figures = measured_run(out / RUNS / training.name, experiment, training)
                write_atomically(file, json.dumps(asdict(figures), indent=1).encode())
            done.append(Trained.read(json.loads(file.read_text(encoding="utf-8"))))
            yield Step(variant, training.seed, len(done), n_all, 0, 0)
        _drop_runs(out, chosen_rates(experiment, done))
    tried = () if seeds is None or shipped is None else shipped.tried
    replace(
        results_of(experiment, done, tried),
        command=command,
        machine=f"{platform.machine()}, threads: {torch.get_num_threads()}",
        versions=versions(),
    ).save(out / f"{experiment.name}.json")


def _next(
    experiment: Experiment, done: Sequence[Trained], seeds: int | None, shipped: Results | None
) -> list[Training]:
    """Return the next trainings; see `run_experiment`."""
    if seeds is None:
        return missing(experiment, done)
    rates = {} if shipped is None else shipped.rates
    # All seeds of the first variant would keep one waiting for a first comparison.
    return [
        Training(each.name, seed, rates.get(each.name, 1.0))
        for seed in range(seeds)
        for each in in_order(experiment)
    ][len(done) :]


def measured_run(path: Path, experiment: Experiment, training: Training) -> Trained:
    """Return what is measured of a trained run; of one that failed, that it learned nothing."""
    variant, seed = experiment.variant(training.variant), training.seed
    found = Trained(variant.name, seed, 0, 0.0, 0, 0.0, math.inf, None, 0, ())
    if (path / EVALUATION).exists():
        found = measured(load_run(path), experiment, variant, seed)
    return replace(found, rate=training.rate, times=training.times)


def _drop_runs(out: Path, rates: Mapping[str, float]) -> None:
    """Remove the runs that are not looked at: all but those of the first seed and chosen rate."""
    kept = {Training(name, 0, rate).name for name, rate in rates.items()}
    for path in (out / RUNS).iterdir():
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)


def _still_needed(experiment: Experiment, training: Training, out: Path) -> bool:
    """Say whether weights that another variant is yet to start from are gone."""
    waiting = [
        each
        for each in experiment.variants
        if each.start == training.variant
        and not (out / f"{replace(training, variant=each.name).name}.json").exists()
    ]
    return bool(waiting) and not is_run(out / RUNS / training.name)


def _train(
    experiment: Experiment, training: Training, out: Path, done: Sequence[Trained]
) -> Iterator[tuple[int, int]]:
    """Train a run to its end; yield the steps that are done, and all of them.

    A run whose loss is no number any more ends there, without an evaluation.
    """
    path, variant = out / RUNS / training.name, experiment.variant(training.variant)
    start = None
    if variant.start:
        rate = chosen_rates(experiment, done)[variant.start]
        start = out / RUNS / Training(variant.start, training.seed, rate).name
    how = (variant, training.seed, training.rate, training.times)
    preset = experiment.preset(*how)
    if not is_run(path):
        changes = experiment.changed(*how)
        if start is not None:
            # The model is that of the start.
            changes = {name: value for name, value in changes.items() if name not in MODEL_SETTINGS}
        task = experiment.task_of(variant)
        files = {"task": [task]} | ({} if start is None else {"start": [start.name]})
        command = train_command(Path(path.name), files, PRESET, changes)
        prepare_run(path, TASKS[task], PRESET, preset, command, start=start)
    with suppress(TrainingError):
        for progress in complete_run(path):
            yield progress.train_step.step, preset.training.steps


# ---- measuring


N_MEASURED = 1000
"""Held-out sentences by which lengths are compared."""
N_BEYOND = 100
"""Rows of each length that training never draws."""
N_DIFFERENTIATED = 100
"""Held-out sentences whose gradients are taken."""
_CURVE = ("step", "held_out_exact_match")
_FURTHER = ("loss", "seconds", "held_out_loss", "reward")
"""What a curve has besides, where the training reports it."""


def measured(run: Run, experiment: Experiment, variant: Variant, seed: int) -> Trained:
    """Return the figures of a run that is trained and evaluated.

    Raises:
        RunError: Its task cannot be used any more.
    """
    assert run.evaluation is not None
    found = {each.name: each.of(run) for each in experiment.measures}
    measures = {name: value for name, value in found.items() if value is not None}
    rows, pronoun = list(read_rows(run.path)), run.evaluation["pronoun"]
    learned = [row for row in rows if all(name in row for name in _CURVE)]
    return Trained(
        variant=variant.name,
        seed=seed,
        parameters=sum(each.numel() for each in run.model.parameters()),
        seconds=_usual_seconds(learned),
        n=run.evaluation["n"],
        exact_match=run.evaluation["exact_match"],
        loss=run.evaluation["loss"],
        pronouns=None if pronoun is None else pronoun["accuracy"],
        n_pronouns=0 if pronoun is None else pronoun["n"],
        by_length=_by_length(run, experiment.beyond),
        curve={
            name: [float(row[name]) for row in learned]
            for name in (*_CURVE, *_FURTHER)
            if all(name in row for row in learned)
        },
        measures=measures,
        by_distance=_by_distance(run) if experiment.by_distance else (),
        by_layer=_by_layer(run) if experiment.by_layer else {},
    )


def _usual_seconds(rows: Sequence[Mapping[str, float]]) -> float:
    """Return what all steps take at the median pace between two measurements.

    >>> rows = [{"step": 10, "seconds": 1}, {"step": 20, "seconds": 9}, {"step": 30, "seconds": 10}]
    >>> _usual_seconds(rows)
    3.0
    """
    before = [{"step": 0.0, "seconds": 0.0}, *rows]
    paces = [
        (row["seconds"] - last["seconds"]) / (row["step"] - last["step"])
        for last, row in pairwise(before)
    ]
    return median(paces) * rows[-1]["step"]


def _by_length(run: Run, beyond: Sequence[int]) -> tuple[tuple[int, int, int], ...]:
    pairs = [pair for group in sorted_batches(held_out_pairs(run, N_MEASURED, 0)) for pair in group]
    pairs += [pair for length in beyond for pair in pairs_of(run, _of_length(run, length))]
    right = [
        each
        for at in range(0, len(pairs), N_MEASURED)
        for each in _right(run, pairs[at : at + N_MEASURED])
    ]
    lengths = [(len(pair.source) - 1, bool(each)) for pair, each in zip(pairs, right, strict=True)]
    return tuple(
        (length, len(found), sum(each for _, each in found))
        for length, group in groupby(lengths, key=lambda each: each[0])
        for found in [list(group)]
    )


def _right(run: Run, pairs: Sequence[Pair]) -> Iterable[bool]:
    """Return of each pair whether the model writes a right target."""
    if not run.model.config.is_parallel and not any(pair.others for pair in pairs):
        # One pass tells it, where the next word follows from the true ones and one target is right.
        return Silenceable(run.model, pairs).figures().right_N
    return [
        pair.is_right(ids)
        for batch in sorted_batches(pairs)
        for pair, ids in zip(batch, generate_targets(run.model, batch, run.tokenizer), strict=True)
    ]


def _of_length(run: Run, length: int) -> list[Sample]:
    """Return rows of a length, the same at every call."""
    task, rng = TASKS[run.settings.task], random.Random(length)
    assert isinstance(task, Copying | Reversing)
    return [task.of_length(rng, length) for _ in range(N_BEYOND)]


def _by_distance(run: Run) -> tuple[tuple[int, int, float], ...]:
    sources = [pair.source for pair in held_out_pairs(run, N_DIFFERENTIATED, 0)]
    found = influence_by_distance(run.model, sources)
    return tuple((each.distance, each.pairs, each.norm) for each in found)


def _by_layer(run: Run) -> dict[str, list[float]]:
    pairs = held_out_pairs(run, N_DIFFERENTIATED, 0)
    found = {}
    for of, model in (("drawn_", load_run(run.path, 0).model), ("", run.model)):
        layers = by_layer(model, pairs)
        found[f"{of}gradient"] = [each.gradient for each in layers]
        found[f"{of}apart"] = [each.apart for each in layers]
    return found


# ---- as a process of its own


RUNNING = Job(
    "core.studies.experiments.running", N_("running this experiment"), Files.named("experiment")
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
