"""pruning.json: how good a model is as one head after the other goes, kept in the run's folder."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.files import write_atomically
from core.heads import Head
from core.runs.checksums import changing
from core.runs.contents import PRUNING
from core.runs.figures import check_figures
from core.runs.files import check_numbers, damaged, is_there, read_json
from core.runs.run import Run
from core.studies.effects.effects_file import fingerprint
from core.studies.effects.pruning import SEED, PruningPoint
from core.studies.effects.silencing import every_head

Curves = Mapping[str, Sequence[PruningPoint]]
"""Name of an order, such as "greedy" → its points, from all heads down to none."""


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
        "orders": {name: list(map(_json, points)) for name, points in curves.items()},
    }
    with changing(run.path, PRUNING):
        write_atomically(run.path / PRUNING, (json.dumps(content) + "\n").encode())


def stored_pruning(run: Run, n: int) -> Curves:
    """Return what was stored of these weights and so many sentences; nothing where nothing was.

    Raises:
        RunError: pruning.json does not hold curves, or not those of the model's heads.
    """
    if not is_there(run.path, PRUNING):
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
            str(name): tuple(_read(each, n) for each in points)
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


def _json(point: PruningPoint) -> dict[str, Any]:
    return {
        "removed": None if point.removed is None else str(point.removed),
        "n_left": point.n_left,
        "exact_match": point.exact_match,
        "loss": point.loss,
    }


def _read(stored: Mapping[str, Any], n: int) -> PruningPoint:
    check_figures(stored, ("n_left", "exact_match", "loss"))
    removed = None if stored["removed"] is None else Head.parse(str(stored["removed"]))
    figures = float(stored["exact_match"]), float(stored["loss"])
    return PruningPoint(removed, int(stored["n_left"]), *figures, n)
