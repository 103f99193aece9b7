"""A run's files other than weights: names, maximum sizes, and reading."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from reprlib import repr
from typing import Any

from ..config.settings import LARGEST_NUMBER
from ..files import open_regular
from ..messages import N_, Message, MessageError, error_text
from ..tasks.corpus import FILES

NOTICE = "NOTICE"
METRICS, EVALUATION = "metrics.jsonl", "evaluation.json"
HEADS = "heads.json"
"""What silencing each head costs, as `core.studies.effects.measuring` writes it."""
PRUNING = "pruning.json"
"""Quality as heads are pruned one by one, as `core.studies.effects.pruning` writes it."""
PAIRS = FILES["train"]
"""The task of a run on the user's own pairs."""
LINES = "lines.txt"
"""The text of an opened model of one stack: see `core.runs.own_text`."""
OPENED = (*("config.json", "source.spm", "target.spm", "vocab.json", "target_vocab.json"),)
"""Files of an opened model beside tokenizer.json."""
TEXTS = (
    *("run.json", "tokenizer.json", *OPENED, "words.txt", NOTICE, *FILES.values(), LINES),
    *(METRICS, EVALUATION, HEADS, PRUNING),
)
"""Files that are included beside the weights when a run is given away."""
ABOUT = N_("{path}: {why}")
_LARGEST_JSON = 16 << 20
"""Maximum bytes of a JSON file, which needs many times as much memory."""
_LARGEST_TEXT = 64 << 20
_LARGEST_OF = dict.fromkeys((EVALUATION, HEADS, PRUNING), 1 << 20)
"""Maximum bytes of files of figures, which are read often."""


class RunError(MessageError, ValueError):
    """A folder that is not a usable run; the message says why."""


def about(path: Path, what: str) -> RunError:
    """Return an error about a run from a text or `Message`."""
    return RunError(Message(ABOUT, path=path, why=what))


def damaged(path: Path, name: str, why: str) -> RunError:
    """Return an error about a damaged file of a run."""
    return about(path, Message("{name} is damaged: {why}", name=name, why=why))


def is_run(path: Path) -> bool:
    """Say whether a folder claims to be a run, damaged or not."""
    return (path / "run.json").exists()


def largest(name: str) -> int:
    """Return the maximum bytes of a run's file, by its path in the run's folder."""
    return _LARGEST_OF.get(name, _LARGEST_JSON if name.endswith(".json") else _LARGEST_TEXT)


def read_bytes(path: Path, name: str) -> bytes:
    """Return the content of a run's file.

    Raises:
        RunError: It is missing, not a regular file, or too large.
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
    """Refuse values that are not numbers, and huge integers.

    Raises:
        ValueError: A value is no such number.
        KeyError: A name is missing.
    """
    for name in names:
        value = stored[name]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or (isinstance(value, int) and abs(value) > LARGEST_NUMBER):
            raise ValueError(
                Message("{name} is {value}, not a number", name=name, value=repr(value))
            )
