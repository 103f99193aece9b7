"""The numbers of runs in columns: name of a column → values, all of the same length."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from core.runs.records import RunRecord, read_record, read_rows

Columns = dict[str, list[Any]]
Named = Sequence[tuple[str, Path]]
"""Runs: what each is called, and its folder."""
LONG = ("what", "run", "name", "at", "value")
"""The columns of `numbers_of_runs`."""


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers in columns."""

    columns: Mapping[str, Sequence[Any]]

    @classmethod
    def of_rows(cls, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Self:
        """Return rows as columns with these names."""
        kept = list(rows)
        return cls({name: [row[place] for row in kept] for place, name in enumerate(names)})

    def table(self) -> Mapping[str, Sequence[Any]]:
        """Return the name of each column → its values."""
        return self.columns


def columns_of(rows: Sequence[Mapping[str, Any]]) -> Columns:
    """Return rows as columns; None where a row lacks a value that another one has.

    >>> columns_of([{"step": 1, "loss": 2.5}, {"step": 2}])
    {'step': [1, 2], 'loss': [2.5, None]}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def figures(record: RunRecord) -> dict[str, Any]:
    """Return what is known of a run, flat: one row of a table of runs."""
    settings, results = record.settings, record.results
    return {
        "task": settings.task,
        "encoder_layers": settings.model.n_encoder_layers,
        "decoder_layers": settings.model.n_decoder_layers,
        "heads": settings.model.n_heads,
        "d_model": settings.model.d_model,
        "parameters": record.n_parameters,
        "guided_head": settings.training.guide,
        "seconds": record.seconds,
        **{
            name: None if results is None else getattr(results, attribute)
            for name, attribute in _RESULTS.items()
        },
        **{
            name: getattr(results.own_pairs, attribute) if results and results.own_pairs else None
            for name, attribute in _OWN_PAIRS.items()
        },
    }


_RESULTS = {
    "exact_match": "exact_match",
    "right_tokens": "token_accuracy",
    "bleu": "bleu",
    "bleu_tokens": "bleu_tokens",
    "chrf": "chrf",
    "held_out_loss": "loss",
    "held_out_pairs": "n",
    "measured_at_step": "step",
}
_OWN_PAIRS = {
    "own_pairs_exact_match": "exact_match",
    "own_pairs_bleu": "bleu",
    "own_pairs_held_out": "n",
}


def measurements(path: Path) -> Table:
    """Return what was measured in a training, a row for each step that was measured.

    Raises:
        RunError: The file is damaged.
    """
    return Table(columns_of(read_rows(path)))


def numbers_of_runs(runs: Named) -> Table:
    """Return results, settings and measurements of runs, one number in each row.

    Args:
        runs: Names and folders.

    Returns:
        what: "result", "setting" or "measured"; run; the number's name; at: the step, for what was
        measured in the training; and the value.

    Raises:
        RunError: A folder is no run, or one of its files is damaged.
    """
    return Table.of_rows(LONG, (row for name, path in runs for row in _rows_of(name, path)))


def _rows_of(run: str, path: Path) -> Iterator[tuple[Any, ...]]:
    record = read_record(path)
    for name, value in figures(record).items():
        if name in (*_RESULTS, *_OWN_PAIRS) and value is not None:
            yield "result", run, name, None, value
    for name, value in _flat(settings_of(record)):
        yield "setting", run, name, None, value
    for row in read_rows(path):
        for name, value in row.items():
            if name != "step":
                yield "measured", run, name, row["step"], value


def settings_of(record: RunRecord) -> dict[str, Any]:
    """Return what distinguishes a run from others: all but its command, which repeats it."""
    found = record.settings.to_dict()
    return {name: value for name, value in found.items() if name not in ("format", "command")}


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, list | tuple):
            yield from _flat(
                dict(zip(map(str, range(len(value))), value, strict=True)), f"{prefix}{name}."
            )
        else:
            yield f"{prefix}{name}", value
