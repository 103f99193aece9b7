"""What is measured of each training of an experiment."""

import random
from collections.abc import Iterable, Sequence
from itertools import groupby

from ...batch import Pair
from ...decoding.targets import generate_targets
from ...evaluate.evaluation import held_out_pairs, pairs_of
from ...evaluate.metrics import sorted_batches
from ...runs.metrics import read_rows
from ...runs.run import Run, load_run
from ...tasks import TASKS, Sample
from ...tasks.symbols import Copying, Reversing
from ..attribution.encoder_gradients import by_layer, influence_by_distance
from ..effects.head_effects import Silenceable
from .experiment import Experiment, Variant
from .results import Trained

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
        seconds=float(rows[-1].get("seconds", 0.0)),
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
