"""What a table of runs says of each, read from its files alone: no weights are loaded."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite, nan
from pathlib import Path
from typing import Any

from core.config import ModelConfig
from core.messages import N_, Message, said
from core.model import count_parameters
from core.runs.figures import check_figures, read_evaluation
from core.runs.files import about
from core.runs.run import RunError, RunSettings, opening_weights, read_metrics, read_settings
from core.runs.weights import step_of

BLEU_KEYS = {"13a": "held_out_bleu", "zh": "held_out_bleu_zh", "char": "held_out_bleu_char"}
"""What BLEU counts, as sacrebleu calls it → its name among what was measured in training."""
BLEU_NAMES = (N_("BLEU"), N_("BLEU (characters)"))
"""What people call BLEU that counts words, and BLEU that counts characters."""
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
    """Figures on held-out samples; None where one was not measured."""

    step: int
    """Steps of training of the model that was measured."""
    n: int | None
    """Samples; None where only the training said the figures, which measures on few."""
    exact_match: float | None
    token_accuracy: float | None
    bleu: float | None
    """From 0 to 100, as chrF."""
    chrf: float | None
    loss: float | None
    n_unfinished: int = 0
    """Of the samples, those whose output was cut at the length limit."""
    bleu_tokens: str = "13a"
    """What BLEU counts, as sacrebleu calls it: 13a for words."""
    own_pairs: OwnPairs | None = None
    """Beside the figures above, which are then of the task's sentences alone."""
    while_training: bool = False
    """Whether only the training said the figures: of a run that learns own pairs beside its task's
    sentences, half of its samples are own pairs."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run without its model."""

    settings: RunSettings
    n_parameters: int
    results: Results | None
    """None where nothing was measured yet."""
    seconds: float | None
    """Of training; None where it was not written down."""
    changed: float
    """When its settings or measurements were last written, in seconds since 1970."""


def read_record(path: Path) -> RunRecord:
    """Read what a run's files say of it.

    Raises:
        RunError: The folder is no run, or one of its files is damaged.
    """
    settings = read_settings(path)
    rows, _ = read_metrics(path)
    files = [path / name for name in ("run.json", "metrics.jsonl")]
    try:
        changed = max(file.stat().st_mtime for file in files if file.exists())
        timed = next((row for row in reversed(rows) if "seconds" in row), {"seconds": None})
        if (seconds := timed["seconds"]) is not None:
            check_figures(timed, ("seconds",))
        weights = opening_weights(path, settings)
        step = None if weights is None else step_of(weights)
        results = _results(read_evaluation(path), rows, step)
    except RunError:
        raise
    except (LookupError, OSError, OverflowError, TypeError, ValueError) as error:
        raise about(path, Message("its figures cannot be read: {why}", why=said(error))) from error
    return RunRecord(settings, _parameters(settings.model), results, seconds, changed)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return all that was measured in a run's training.

    Raises:
        RunError: metrics.jsonl is damaged.
    """
    return read_metrics(path)[0]


@lru_cache(maxsize=256)
def _parameters(model: ModelConfig) -> int:
    return count_parameters(model)


def counted_by_bleu(signature: str) -> str:
    """Return what BLEU counts, as sacrebleu calls it; in older evaluations without signature words.

    >>> counted_by_bleu("nrefs:1|tok:zh|version:2.6.0"), counted_by_bleu("")
    ('zh', '13a')
    """
    said = _COUNTED.search(signature)
    return said[1] if said else "13a"


def bleu_name(tokens: str) -> str:
    """Return what people call BLEU that counts these tokens: a marked text."""
    return BLEU_NAMES[tokens != "13a"]


def _results(
    evaluation: Mapping[str, Any] | None, rows: Sequence[Mapping[str, Any]], step: int | None
) -> Results | None:
    """Return the figures of the model that the run opens with, or the last ones before it.

    Args:
        evaluation: What was stored after the training.
        rows: What was measured in the training.
        step: Of the weights that the run opens with; None where none were kept yet.
    """
    if evaluation is not None and step is not None and evaluation.get("step", step) == step:
        found = _figures({"step": step, **evaluation}, prefix="")
        own = evaluation.get("own_pairs")
        tokens = counted_by_bleu(str(evaluation.get("bleu_signature", "")))
        own_pairs = None if own is None else _own_pairs(own)
        return replace(found, own_pairs=own_pairs, bleu_tokens=tokens)
    measured = [
        row
        for row in rows
        # Of weights that a step has spoiled, the loss is no number.
        if isfinite(row.get("held_out_loss", nan)) and (step is None or row["step"] <= step)
    ]
    if not measured:
        return None
    last = measured[-1]
    tokens = next((tokens for tokens, key in BLEU_KEYS.items() if key in last), "13a")
    found = _figures({**last, "held_out_bleu": last.get(BLEU_KEYS[tokens])}, prefix="held_out_")
    return replace(found, bleu_tokens=tokens, while_training=True)


def _own_pairs(stored: Mapping[str, Any]) -> OwnPairs:
    check_figures(stored, ("n", "exact_match", "bleu"))
    return OwnPairs(int(stored["n"]), stored["exact_match"], stored["bleu"])


def _figures(found: Mapping[str, Any], prefix: str) -> Results:
    names = [
        name for name in (*_FIGURES, "n", "n_unfinished") if found.get(prefix + name) is not None
    ]
    check_figures(found, names, prefix)

    def figure(name: str) -> float | None:
        return found.get(prefix + name)

    n = figure("n")
    return Results(
        step=int(found["step"]),
        n=None if n is None else int(n),
        exact_match=figure("exact_match"),
        token_accuracy=figure("token_accuracy"),
        bleu=figure("bleu"),
        chrf=figure("chrf"),
        loss=figure("loss"),
        n_unfinished=int(figure("n_unfinished") or 0),
    )
