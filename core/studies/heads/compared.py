"""The same head of several runs, in numbers."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.numbers import LONG, Columns
from core.runs.run import Run, load_run
from core.studies.heads.findings import best_pronoun_head


def has_head(run: Run, head: Head) -> bool:
    """Say whether a run's model has a head."""
    return head.site in run.model.sites() and head.index < run.settings.model.n_heads


def numbers_of_heads(runs: Mapping[str, Path], sentence: str, head: Head) -> Columns:
    """Return what a head of each run looks at, and which of the run's heads finds antecedents best.

    Args:
        runs: What a run is called → its folder.
        sentence: What the heads read.
        head: A run without it has no weights here.

    Returns:
        The columns of `numbers_of_runs`. what: "weight", at "query, key", or "pronoun head", at
        the head.

    Raises:
        RunError: A folder is no run with weights.
        SentenceError: There is no text.
    """
    rows = [
        row for name, path in runs.items() for row in _rows_of(name, load_run(path), sentence, head)
    ]
    return {column: [row[place] for row in rows] for place, column in enumerate(LONG)}


def _rows_of(name: str, run: Run, sentence: str, head: Head) -> Iterator[tuple[Any, ...]]:
    if has_head(run, head):
        weights_QK = inspect_sentence(run, sentence).weights_of(head)
        for (query, key), weight in np.ndenumerate(weights_QK):
            yield "weight", name, str(head), f"{query}, {key}", float(weight)
    if (best := best_pronoun_head(run)) is not None:
        for figure in ("score", "baseline", "silenced_accuracy", "n"):
            yield "pronoun head", name, figure, str(best.head), getattr(best, figure)
