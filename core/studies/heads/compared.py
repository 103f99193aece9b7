"""The same head of several runs, in numbers."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.numbers import LONG, Named, Table, numbers_of_runs
from core.runs.run import Run, load_run
from core.studies.heads.findings import best_pronoun_head


def has_head(run: Run, head: Head) -> bool:
    """Say whether a run's model has a head."""
    return head.site in run.model.sites() and head.index < run.settings.model.n_heads


def numbers_with_heads(runs: Named, looking: Named, sentence: str, head: Head) -> Table:
    """Return the numbers of runs, then what the same head of each looks at.

    Args:
        runs: Names and folders.
        looking: Those of them that have weights; one without the head has no rows.
        sentence: What the heads read.
        head: The head.

    Returns:
        The columns of `numbers_of_runs`. what: also "weight", at "query, key", or "pronoun head",
        at the run's head that finds antecedents best.

    Raises:
        RunError: A folder is no run, or one of `looking` without weights.
        SentenceError: There is no text.
    """
    rows = [row for name, path in looking for row in _rows_of(name, load_run(path), sentence, head)]
    heads, numbers = Table.of_rows(LONG, rows).columns, numbers_of_runs(runs).columns
    return Table({name: [*numbers[name], *heads[name]] for name in LONG})


def _rows_of(name: str, run: Run, sentence: str, head: Head) -> Iterator[tuple[Any, ...]]:
    if has_head(run, head):
        weights_QK = inspect_sentence(run, sentence).weights_of(head)
        for (query, key), weight in np.ndenumerate(weights_QK):
            yield "weight", name, str(head), f"{query}, {key}", float(weight)
    if (best := best_pronoun_head(run)) is not None:
        for figure in ("score", "baseline", "silenced_accuracy", "n"):
            yield "pronoun head", name, figure, str(best.head), getattr(best, figure)
