"""The files of a run that are no weights: their names, their largest sizes, and reading them."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from reprlib import repr
from typing import Any

from core.config.settings import LARGEST_NUMBER
from core.files import open_regular
from core.messages import N_, Message, MessageError, error_text
from core.tasks.corpus import FILES

NOTICE = "NOTICE"
STATUS, METRICS, EVALUATION = "status.json", "metrics.jsonl", "evaluation.json"
HEADS = "heads.json"
"""What silencing each head costs, as `core.studies.effects.measuring` writes it."""
PRUNING = "pruning.json"
"""What is left as one head after the other goes, as `core.studies.effects.pruning` says."""
PAIRS = FILES["train"]
"""The task of a run on the user's own pairs."""
LINES = "lines.txt"
"""The text of an opened model of one stack: see `core.runs.own_text`."""
OPENED = (
    *("config.json", "tokenizer_config.json", "tokenizer.model", "spiece.model"),
    *("source.spm", "target.spm", "vocab.json", "target_vocab.json"),
)
"""What an opened model brings beside tokenizer.json."""
TEXTS = (
    *("run.json", "tokenizer.json", *OPENED, "words.txt", NOTICE, *FILES.values(), LINES),
    *(METRICS, EVALUATION, HEADS, PRUNING, STATUS),
)
"""What is given away beside the weights."""
ABOUT = N_("{path}: {why}")
_LARGEST_JSON = 16 << 20
"""Bytes of a file that is read as one JSON value, which takes many times as much memory."""
_LARGEST_TEXT = 64 << 20
_LARGEST_OF = dict.fromkeys((EVALUATION, HEADS, PRUNING), 1 << 20)
"""Bytes of a file that is read as figures, often."""


class RunError(MessageError, ValueError):
    """A folder that is no usable run; the message names it and what is wrong with it."""


def about(path: Path, what: str) -> RunError:
    """Return an error that says something of a run, which may be a `Message`."""
    return RunError(Message(ABOUT, path=path, why=what))


def damaged(path: Path, name: str, why: str) -> RunError:
    """Return an error that says what is wrong with a file of a run."""
    return about(path, Message("{name} is damaged: {why}", name=name, why=why))


def is_run(path: Path) -> bool:
    """Say whether a folder claims to be a run, damaged or not."""
    return (path / "run.json").exists()


def largest(name: str) -> int:
    """Return how many bytes a run's file may have at most, by its path in the run's folder."""
    return _LARGEST_OF.get(name, _LARGEST_JSON if name.endswith(".json") else _LARGEST_TEXT)


def read_bytes(path: Path, name: str) -> bytes:
    """Return what one of a run's files holds.

    Raises:
        RunError: It is missing, no regular file, or larger than such a file may be.
    """
    most = largest(name)
    try:
        with open_regular(path / name) as file:
            if os.fstat(file.fileno()).st_size <= most:
                return file.read(most)
    except FileNotFoundError as error:
        raise about(path, Message("{name} is missing", name=name)) from error
    except OSError as error:
        raise about(path, Message("{name}: {why}", name=name, why=error.strerror)) from error
    raise damaged(path, name, Message("it is larger than {n} MiB", n=most >> 20))


def read_text(path: Path, name: str) -> str:
    """Return the text of one of a run's files.

    Raises:
        RunError: As `read_bytes`, or it is no text.
    """
    try:
        return read_bytes(path, name).decode("utf-8")
    except UnicodeDecodeError as error:
        raise about(path, Message("{name} is not UTF-8 text", name=name)) from error


def read_json(path: Path, name: str) -> dict[str, Any]:
    """Return the JSON object in one of a run's files.

    Raises:
        RunError: It is missing, or holds none.
    """
    try:
        stored = json.loads(read_text(path, name))
    except RunError:
        raise
    except (ValueError, RecursionError) as error:
        raise damaged(path, name, error_text(error)) from error
    if not isinstance(stored, dict):
        raise about(path, Message("{name} holds no JSON object", name=name))
    return stored


def check_numbers(stored: Mapping[str, Any], names: Iterable[str]) -> None:
    """Refuse what is no number, and whole numbers without an end.

    Raises:
        ValueError: A value is such.
        KeyError: A name is not there.
    """
    for name in names:
        value = stored[name]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or (isinstance(value, int) and abs(value) > LARGEST_NUMBER):
            raise ValueError(
                Message("{name} is {value}, not a number", name=name, value=repr(value))
            )
