"""heads.json and pruning.json in a run's folder: what silencing and pruning its heads cost."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.evaluate.intervals import Difference
from core.files import write_atomically
from core.heads import Head
from core.model import Transformer
from core.runs.files import HEADS, PRUNING, check_numbers, damaged, read_json
from core.runs.metrics import check_figures
from core.runs.run import Run, load_run
from core.studies.effects.ablation import every_head
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.effects.pruning import SEED, PruningPoint
from core.studies.heads.findings import evaluated_heads

Curves = Mapping[str, Sequence[PruningPoint]]
"""Name of an order, such as "greedy" → its points, from all heads down to none."""


_BOUNDS = ("before", "after", "low", "high")


def fingerprint(model: Transformer) -> str:
    """Return what tells a model's weights from all others: a hash of their names and values."""
    found = hashlib.blake2b(digest_size=16)
    for name, values in sorted(model.saved().items()):
        found.update(f"{name} {tuple(values.shape)}\n".encode())
        found.update(values.detach().cpu().contiguous().numpy().data)
    return found.hexdigest()


def store_effects(path: Path, effects: HeadEffects, weights: str | None = None) -> None:
    """Write heads.json whole or not at all.

    Args:
        path: The run's folder.
        effects: Of every head.
        weights: The `fingerprint` of what was measured; by default of what the run opens with.

    Raises:
        OSError: The folder is gone or cannot be written to.
        RunError: No fingerprint is given, and the folder is no run.
    """
    content = {
        "step": effects.step,
        "weights": fingerprint(load_run(path).model) if weights is None else weights,
        "n": effects.n,
        "all": effects.all_there_are,
        "seed": effects.seed,
        "heads": [{"head": str(each.head), "effect": effect_json(each)} for each in effects.heads],
    }
    write_atomically(path / HEADS, (json.dumps(content) + "\n").encode())


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
        found = tuple(_read(Head.read(each), each["effect"]) for each in stored["heads"])
        if [each.head for each in found] != every_head(run.model):
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
    figures = {
        "exact_match": effect.exact_match,
        "pronoun": effect.pronoun,
        "loss": effect.loss,
    }
    return {name: None if each is None else _json(each) for name, each in figures.items()}


def _json(difference: Difference) -> dict[str, float | None]:
    bounds = {bound: getattr(difference, bound) for bound in _BOUNDS}
    # JSON knows no infinity: None is an interval without an end.
    return {name: value if math.isfinite(value) else None for name, value in bounds.items()} | {
        "n": difference.n
    }


def _read(head: Head, effect: Mapping[str, Any]) -> HeadEffect:
    return HeadEffect(
        head=head,
        exact_match=_difference(effect["exact_match"]),
        loss=_difference(effect["loss"]),
        pronoun=None if effect["pronoun"] is None else _difference(effect["pronoun"]),
    )


def _difference(stored: Mapping[str, Any]) -> Difference:
    low = -math.inf if stored["low"] is None else stored["low"]
    high = math.inf if stored["high"] is None else stored["high"]
    found = {**stored, "low": low, "high": high}
    check_figures(found, ("before", "after", "n"))
    check_numbers(found, ("low", "high"))
    if not low <= high:
        raise ValueError(f"{stored!r} is no interval")
    bounds = {bound: float(found[bound]) for bound in _BOUNDS}
    return Difference(**bounds, n=int(found["n"]))


def store_pruning(run: Run, curves: Curves) -> None:
    """Write pruning.json whole or not at all.

    Args:
        run: Whose heads went.
        curves: All over the same sentences.

    Raises:
        OSError: The folder is gone or cannot be written to.
    """
    content = {
        "weights": fingerprint(run.model),
        "n": next(iter(curves.values()))[0].n,
        "seed": SEED,
        "orders": {name: list(map(_point_json, points)) for name, points in curves.items()},
    }
    write_atomically(run.path / PRUNING, (json.dumps(content) + "\n").encode())


@dataclass(frozen=True, slots=True)
class PruningCurves:
    """What is left of a run as one head after the other goes."""

    orders: Curves
    """Empty where nothing was measured."""

    def table(self) -> dict[str, list[object]]:
        """Return a row for each point of each order."""
        rows = [(name, each) for name, found in self.orders.items() for each in found]
        return {
            "order": [name for name, _point in rows],
            "heads_left": [each.n_left for _name, each in rows],
            "silenced_last": [str(each.removed or "") for _name, each in rows],
            "exact_match": [each.exact_match for _name, each in rows],
            "loss": [each.loss for _name, each in rows],
            "n": [each.n for _name, each in rows],
        }


def pruning_curves(run: Run, n: int) -> PruningCurves:
    """Return what was stored, as `stored_pruning` does, with its table."""
    return PruningCurves(stored_pruning(run, n))


def stored_pruning(run: Run, n: int) -> Curves:
    """Return what was stored of these weights and so many sentences; nothing where nothing was.

    Raises:
        RunError: pruning.json does not hold curves, or not those of the model's heads.
    """
    if not (run.path / PRUNING).exists():
        return {}
    stored = read_json(run.path, PRUNING)
    try:
        check_numbers(stored, ("n", "seed"))
        if stored.get("weights") != fingerprint(run.model) or (stored["n"], stored["seed"]) != (
            n,
            SEED,
        ):
            return {}
        found = {
            str(name): tuple(_read_point(each, n) for each in points)
            for name, points in stored["orders"].items()
        }
        heads = every_head(run.model)
        for points in found.values():
            if [each.n_left for each in points] != list(range(len(heads), -1, -1)):
                raise ValueError("its points are not one for each number of heads")
            if points[0].removed or {each.removed for each in points[1:]} != set(heads):
                raise ValueError("it speaks of other heads than the model has")
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise damaged(run.path, PRUNING, repr(error)) from error
    return found


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
