"""Figures of a run: during training, of the trained model, and in tables of runs.

Figures are checked for their range when read.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from math import isfinite, nan
from pathlib import Path
from reprlib import repr
from typing import Any, Self

from ..config.settings import LARGEST_NUMBER
from ..messages import N_, Message, error_text
from ..model import count_parameters
from .checkpoint import opening_weights, step_of
from .files import (
    EVALUATION,
    METRICS,
    RunError,
    about,
    check_numbers,
    damaged,
    read_bytes,
    read_json,
)
from .settings import RunSettings, read_settings


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of metrics.jsonl; a last line that is half written does not count.

    Raises:
        RunError: As `read_bytes`, or a line is no JSON object of numbers with a step.
    """
    if not (path / METRICS).exists():
        return []
    content = read_bytes(path, METRICS)
    try:
        rows = [json.loads(line) for line in content[: content.rfind(b"\n") + 1].splitlines()]
        for row in rows:
            check_numbers(row, ("step", *row))
            check_figures(row, ("step",))
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise damaged(path, METRICS, repr(error)) from error
    return rows


_SHARES = (
    *("exact_match", "token_accuracy", "accuracy", "score", "baseline", "silenced_accuracy"),
    *("nearest_noun", "first_noun", "random_noun"),
)
_MOST = dict.fromkeys(_SHARES, 1.0) | {"bleu": 100.0, "chrf": 100.0}
"""Figure → maximum; others have a large one."""
_ROUNDING = 1e-6
"""A sum of a thousand shares of 1/1000 is a little more than 1."""
_NAMES = (*_MOST, "loss", "n", "n_unfinished", "step")
"""Figures of an evaluation, and of its parts."""


def check_figures(stored: Mapping[str, Any], names: Iterable[str], prefix: str = "") -> None:
    """Refuse a figure that is not a number, below 0, or above its maximum.

    Args:
        stored: Figures by their names.
        names: Names to check.
        prefix: Prefix of each name among the stored ones.

    Raises:
        ValueError: A value is no such figure.
        KeyError: A name is missing.
    """
    for name in names:
        check_numbers(stored, [prefix + name])
        value, most = stored[prefix + name], _MOST.get(name, LARGEST_NUMBER)
        if not 0 <= value <= most + _ROUNDING:
            raise ValueError(
                Message(
                    "{name} is {value}, not 0 to {most}",
                    name=prefix + name,
                    value=repr(value),
                    most=int(most),
                )
            )


def read_evaluation(path: Path) -> dict[str, Any] | None:
    """Return the content of evaluation.json, or None if there is none.

    Raises:
        RunError: It cannot be read, or a value is no figure.
    """
    if not (path / EVALUATION).exists():
        return None
    stored = read_json(path, EVALUATION)
    try:
        parts = (stored.get("own_pairs") or {}, stored.get("pronoun") or {})
        for part in (stored, *parts, *stored.get("heads", ())):
            check_figures(part, [name for name in _NAMES if part.get(name) is not None])
    except (AttributeError, TypeError, ValueError) as error:
        raise damaged(path, EVALUATION, error_text(error)) from error
    return stored


BLEU_KEYS = {"13a": "held_out_bleu", "zh": "held_out_bleu_zh", "char": "held_out_bleu_char"}
"""sacrebleu's tokenizer → name of this BLEU among the measurements of training."""
BLEU_NAMES = (N_("BLEU"), N_("BLEU (characters)"))
"""Labels of BLEU on words, and on characters."""
_COUNTED = re.compile(r"tok:([^|]+)")
_FIGURES = ("exact_match", "token_accuracy", "bleu", "chrf", "loss")


@dataclass(frozen=True, slots=True)
class OwnPairs:
    """Figures on held-out pairs that were learned beside a task's sentences."""

    n: int
    exact_match: float
    bleu: float
    """From 0 to 100."""


@dataclass(frozen=True, slots=True)
class Results:
    """Figures on held-out samples; None if one was not measured."""

    step: int
    """Training steps of the evaluated model."""
    n: int | None
    """Number of samples; None for older figures that come from training only."""
    exact_match: float | None
    token_accuracy: float | None
    bleu: float | None
    """From 0 to 100, as chrF."""
    chrf: float | None
    loss: float | None
    n_unfinished: int = 0
    """Number of samples whose output was cut at the length limit."""
    bleu_tokens: str = "13a"
    """sacrebleu's tokenizer: 13a for words."""
    own_pairs: OwnPairs | None = None
    """Figures on own pairs; those above are then on the task's sentences alone."""
    while_training: bool = False
    """Whether the figures come from training only: if own pairs are learned beside a task's
    sentences, half of its samples are own pairs."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run without its model."""

    settings: RunSettings
    n_parameters: int
    results: Results | None
    """None if nothing was measured yet."""
    seconds: float | None
    """Training time; None if not recorded."""
    changed: float
    """When its settings or measurements were last written, in seconds since 1970."""


def read_record(path: Path) -> RunRecord:
    """Read a run without its model.

    Raises:
        RunError: The folder is no run, or one of its files is damaged.
    """
    settings = read_settings(path)
    rows = read_rows(path)
    files = [path / name for name in ("run.json", METRICS)]
    try:
        changed = max(file.stat().st_mtime for file in files if file.exists())
        timed = next((row for row in reversed(rows) if "seconds" in row), {"seconds": None})
        if (seconds := timed["seconds"]) is not None:
            check_figures(timed, ("seconds",))
        weights = opening_weights(path, settings)
        step = None if weights is None else step_of(weights)
        results = _results(read_evaluation(path), rows, step)
        n_parameters = settings.n_parameters or _counted(settings.model)
    except RunError:
        raise
    except (LookupError, OSError, OverflowError, TypeError, ValueError) as error:
        raise about(
            path, Message("its figures cannot be read: {why}", why=error_text(error))
        ) from error
    return RunRecord(settings, n_parameters, results, seconds, changed)


_counted = lru_cache(maxsize=256)(count_parameters)


def counted_by_bleu(signature: str) -> str:
    """Return sacrebleu's tokenizer in a signature; 13a without one.

    >>> counted_by_bleu("nrefs:1|tok:zh|version:2.6.0"), counted_by_bleu("")
    ('zh', '13a')
    """
    match = _COUNTED.search(signature)
    return match[1] if match else "13a"


def bleu_name(tokens: str) -> str:
    """Return the label of BLEU with a tokenizer: a marked text."""
    return BLEU_NAMES[tokens != "13a"]


def _results(
    evaluation: Mapping[str, Any] | None, rows: Sequence[Mapping[str, Any]], step: int | None
) -> Results | None:
    """Return the figures of the weights that the run opens with, or the last ones before them.

    Args:
        evaluation: Evaluation of the trained model.
        rows: Measurements during training.
        step: Step of the weights that the run opens with; None if there are none yet.
    """
    if evaluation is not None and step is not None and evaluation.get("step", step) == step:
        results = _figures({"step": step, **evaluation}, prefix="")
        tokens = counted_by_bleu(str(evaluation.get("bleu_signature", "")))
        own_pairs = None
        if (own := evaluation.get("own_pairs")) is not None:
            check_figures(own, ("n", "exact_match", "bleu"))
            own_pairs = OwnPairs(int(own["n"]), own["exact_match"], own["bleu"])
        return replace(results, own_pairs=own_pairs, bleu_tokens=tokens)
    measured = [
        row
        for row in rows
        # The loss of a diverged training is NaN.
        if isfinite(row.get("held_out_loss", nan)) and (step is None or row["step"] <= step)
    ]
    if not measured:
        return None
    last = measured[-1]
    tokens = next((tokens for tokens, key in BLEU_KEYS.items() if key in last), "13a")
    results = _figures({**last, "held_out_bleu": last.get(BLEU_KEYS[tokens])}, prefix="held_out_")
    return replace(results, bleu_tokens=tokens, while_training=True)


def _figures(stored: Mapping[str, Any], prefix: str) -> Results:
    names = (*_FIGURES, "n", "n_unfinished")
    check_figures(stored, [name for name in names if stored.get(prefix + name) is not None], prefix)
    n = stored.get(f"{prefix}n")
    figures: dict[str, Any] = {name: stored.get(prefix + name) for name in _FIGURES}
    return Results(
        step=int(stored["step"]),
        n=None if n is None else int(n),
        n_unfinished=int(stored.get(f"{prefix}n_unfinished") or 0),
        **figures,
    )


Columns = dict[str, list[Any]]
Named = Sequence[tuple[str, Path]]
"""Name and folder of each run."""
LONG = ("what", "run", "name", "at", "value")
"""The columns of `numbers_of_runs`."""


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers in columns."""

    columns: Mapping[str, Sequence[Any]]

    @classmethod
    def of_rows(cls, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Self:
        """Return rows as columns with these names."""
        listed = list(rows)
        return cls({name: [row[at] for row in listed] for at, name in enumerate(names)})

    def table(self) -> Mapping[str, Sequence[Any]]:
        """Return the name of each column → its values."""
        return self.columns


def columns_of(rows: Sequence[Mapping[str, Any]]) -> Columns:
    """Return rows as columns; None if a row lacks a value that another one has.

    >>> columns_of([{"step": 1, "loss": 2.5}, {"step": 2}])
    {'step': [1, 2], 'loss': [2.5, None]}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def figures(record: RunRecord) -> dict[str, Any]:
    """Return settings and results of a run as one row of a table of runs."""
    settings = record.settings
    return {
        "task": settings.task,
        "encoder_layers": settings.model.n_encoder_layers,
        "decoder_layers": settings.model.n_decoder_layers,
        "heads": settings.model.n_heads,
        "d_model": settings.model.d_model,
        "parameters": record.n_parameters,
        "guided_head": settings.training.guide,
        "seconds": record.seconds,
        **_measured(record),
    }


def _measured(record: RunRecord) -> dict[str, Any]:
    """Return the results of a run by name, those on own pairs with a prefix."""
    if record.results is None:
        return {}
    found = asdict(record.results)
    own, step = found.pop("own_pairs") or {}, found.pop("step")
    own = {f"own_pairs_{name}": value for name, value in own.items()}
    return found | own | {"measured_at_step": step}


def measurements(path: Path) -> Table:
    """Return metrics.jsonl as a table."""
    return Table(columns_of(read_rows(path)))


def numbers_of_runs(runs: Named) -> Table:
    """Return results, settings and measurements of runs, one number in each row.

    Returns:
        what: "result", "setting" or "measured"; run; the number's name; at: the step of what was
        measured in the training; and the value.
    """
    return Table.of_rows(LONG, (row for name, path in runs for row in _rows_of(name, path)))


def _rows_of(run: str, path: Path) -> Iterator[tuple[Any, ...]]:
    record = read_record(path)
    for name, value in _measured(record).items():
        if value is not None:
            yield "result", run, name, None, value
    for name, value in _flat(settings_of(record)):
        yield "setting", run, name, None, value
    for row in read_rows(path):
        for name, value in row.items():
            if name != "step":
                yield "measured", run, name, row["step"], value


def settings_of(record: RunRecord) -> dict[str, Any]:
    """Return a run's settings without its command, which repeats them."""
    settings = record.settings.to_dict()
    return {name: value for name, value in settings.items() if name not in ("format", "command")}


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, list | tuple):
            value = {str(number): each for number, each in enumerate(value)}
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
