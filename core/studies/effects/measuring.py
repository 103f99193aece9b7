"""Measuring what every head is for as a process of its own, which outlives the page that asked.

    python -m core.studies.effects.measuring RUN N SEED

The result is heads.json, in the run's folder.
"""

import hashlib
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ...device import use_one_thread
from ...evaluate.intervals import Difference
from ...files import as_json, write_atomically
from ...heads import Head
from ...jobs.job import Files, Job
from ...jobs.process import Work, main, working
from ...messages import N_
from ...model import Transformer
from ...runs.files import HEADS, check_numbers, damaged, read_json
from ...runs.metrics import check_figures
from ...runs.run import Run, RunError, load_run, read_settings
from ..heads.findings import evaluated_heads
from ..heads.question import heads_of
from . import N_SENTENCES
from .head_effects import SEED, HeadEffect, HeadEffects, head_effects

MEASURING = Job(
    "core.studies.effects.measuring",
    N_("measuring this run's heads"),
    Files.named("heads"),
    error=RunError,
)
_FIGURES = ("exact_match", "pronoun", "loss")


def start(path: Path, n: int = N_SENTENCES, seed: int = SEED) -> None:
    """Measure a run's heads in a process of its own.

    Raises:
        RunError: The folder is no run, or a process is at it.
        OSError: The folder cannot be written to.
    """
    read_settings(path)
    MEASURING.start(path, n, seed)


def measured_effects(run: Run, n: int = N_SENTENCES, seed: int = SEED) -> Iterator[HeadEffect]:
    """Yield the effect of each head, reporting progress, and store all of them at the end.

    Raises:
        RunError: Another process is at it, the run's task cannot be used any more, or the folder
            has other weights when all is measured.
        OSError: The folder cannot be written to.
    """
    with working(MEASURING, run.path) as work:
        yield from _measured(work, run, n, seed)


def _measured(work: Work, run: Run, n: int, seed: int) -> Iterator[HeadEffect]:
    found = list[HeadEffect]()
    for effect in work.counted(head_effects(run, n, seed), len(heads_of(run.model))):
        found.append(effect)
        yield effect
    if fingerprint(load_run(run.path).model) != fingerprint(run.model):
        # Training went on, or another run has its name now.
        raise RunError(
            "{path}: the weights have changed while its heads were measured", path=run.path
        )
    of_n = found[0].exact_match.n
    store_effects(run, HeadEffects(tuple(found), of_n, seed, run.step, all_there_are=of_n < n))


def fingerprint(model: Transformer) -> str:
    """Return a hash of the names and values of a model's weights."""
    found = hashlib.blake2b(digest_size=16)
    for name, values in sorted(model.saved().items()):
        found.update(f"{name} {tuple(values.shape)}\n".encode())
        found.update(values.detach().cpu().contiguous().numpy().data)
    return found.hexdigest()


def store_effects(run: Run, effects: HeadEffects) -> None:
    """Write heads.json whole or not at all."""
    content = {
        "step": effects.step,
        "weights": fingerprint(run.model),
        "n": effects.n,
        "all": effects.all_there_are,
        "seed": effects.seed,
        "heads": [{"head": str(each.head), "effect": effect_json(each)} for each in effects.heads],
    }
    write_atomically(run.path / HEADS, as_json(content))


def stored_effects(run: Run) -> HeadEffects | None:
    """Return what was stored of these weights; None where nothing was, or of other weights.

    Raises:
        RunError: heads.json does not hold the figures, or not those of the model's heads.
    """
    if not (run.path / HEADS).exists():
        return None
    stored = read_json(run.path, HEADS)
    try:
        check_figures(stored, ("step", "n"))
        check_numbers(stored, ("seed",))
        if stored["step"] != run.step or stored.get("weights") != fingerprint(run.model):
            return None
        found = tuple(_read(each) for each in stored["heads"])
        if [each.head for each in found] != heads_of(run.model):
            raise ValueError("it speaks of other heads than the model has")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise damaged(run.path, HEADS, repr(error)) from error
    n, seed, everything = int(stored["n"]), int(stored["seed"]), stored.get("all") is True
    evaluated = evaluated_heads(run, n, seed)
    found = tuple(
        replace(each, pronoun=evaluated[each.head].silencing) if each.head in evaluated else each
        for each in found
    )
    return HeadEffects(found, n, seed, run.step, everything)


def effect_json(effect: HeadEffect) -> dict[str, Any]:
    """Return a head's effect as JSON can hold it."""
    return {name: _json(getattr(effect, name)) for name in _FIGURES}


def _json(difference: Difference | None) -> dict[str, float | None] | None:
    if difference is None:
        return None
    # JSON has no infinity: None is an interval without an end.
    values = asdict(difference)
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def _read(stored: Mapping[str, Any]) -> HeadEffect:
    effect = stored["effect"]
    pronoun = None if effect["pronoun"] is None else _difference(effect["pronoun"])
    exact_match, loss = _difference(effect["exact_match"]), _difference(effect["loss"])
    return HeadEffect(Head.read(stored), exact_match, loss, pronoun)


def _difference(stored: Mapping[str, Any]) -> Difference:
    low = -math.inf if stored["low"] is None else stored["low"]
    high = math.inf if stored["high"] is None else stored["high"]
    found = {**stored, "low": low, "high": high}
    check_figures(found, ("before", "after", "n"))
    check_numbers(found, ("low", "high"))
    if not low <= high:
        raise ValueError(f"{stored!r} is no interval")
    before, after = float(found["before"]), float(found["after"])
    return Difference(before, after, float(low), float(high), int(found["n"]))


def _process(path: Path, n: str, seed: str) -> Iterator[HeadEffect]:
    use_one_thread()
    with working(MEASURING, path) as work:
        yield from _measured(work, load_run(path), int(n), int(seed))


if __name__ == "__main__":
    sys.exit(main(MEASURING, _process))
