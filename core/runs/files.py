"""The files of a run as text, JSON and numbers; what is wrong with them is said in words."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


class RunError(ValueError):
    """A folder that is no usable run; the message names it and what is wrong with it."""


def read_text(path: Path, name: str) -> str:
    """Return the text of one of a run's files.

    Raises:
        RunError: It is missing, or no text.
    """
    try:
        return (path / name).read_text(encoding="utf-8")
    except OSError as error:
        raise RunError(f"{path}: {name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RunError(f"{path}: {name} is not UTF-8 text") from error


def read_json(path: Path, name: str) -> dict[str, Any]:
    """Return the JSON object in one of a run's files.

    Raises:
        RunError: It is missing, or holds none.
    """
    try:
        stored = json.loads(read_text(path, name))
    except json.JSONDecodeError as error:
        raise RunError(f"{path}: {name} is damaged: {error}") from error
    if not isinstance(stored, dict):
        raise RunError(f"{path}: {name} holds no JSON object")
    return stored


def check_numbers(stored: Mapping[str, Any], names: Iterable[str]) -> None:
    """Refuse what is no number.

    Raises:
        ValueError: A value is of another type.
        KeyError: A name is not there.
    """
    for name in names:
        if isinstance(stored[name], bool) or not isinstance(stored[name], int | float):
            raise ValueError(f"{name} is {stored[name]!r}, not a number")


def read_metrics(path: Path, offset: int = 0) -> tuple[list[dict[str, Any]], int]:
    """Return what was measured, from a byte of metrics.jsonl on, and the byte to go on from.

    A line that is still being written is left for the next time. Where the file has become shorter
    than the offset (training went back to a checkpoint), all of it is read again: then what is
    returned begins with the first step.

    Raises:
        RunError: A line is no JSON object of numbers with a step.
    """
    file = path / "metrics.jsonl"
    if not file.exists():
        return [], 0
    with file.open("rb") as opened:
        offset = offset if offset <= opened.seek(0, 2) else 0
        opened.seek(offset)
        content = opened.read()
    whole = content[: content.rfind(b"\n") + 1]
    try:
        rows = [json.loads(line) for line in whole.splitlines()]
        for row in rows:
            check_numbers(row, ("step", *row))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunError(f"{path}: metrics.jsonl is damaged: {error!r}") from error
    return rows, offset + len(whole)
