"""The files of a run as text, JSON and numbers; what is wrong with them is said in words.

What `checksums.json` lists is compared with it, see `core.runs.checksums`.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from reprlib import repr
from typing import Any

from core.config.settings import LARGEST_NUMBER
from core.files import open_regular, state_of
from core.messages import N_, Message, SaidError, said

CHECKSUMS = "checksums.json"
ABOUT = N_("{path}: {why}")
NOT_LISTED = Message(
    "it is not what checksums.json lists (without that file the run is read unchecked)"
)
"""Ends what is said of a file that does not fit."""
_LARGEST_JSON = 16 << 20
"""Bytes of a file that is read as one JSON value, which takes many times as much memory."""
_LARGEST_TEXT = 64 << 20
_LARGEST_OF = dict.fromkeys(("evaluation.json", "heads.json", "pruning.json"), 1 << 20)
"""Bytes of a file that is read as figures, often."""


class RunError(SaidError, ValueError):
    """A folder that is no usable run; the message names it and what is wrong with it."""


def about(path: Path, what: str) -> RunError:
    """Return an error that says something of a run, which may be a `Message`."""
    return RunError(Message(ABOUT, path=path, why=what))


def damaged(path: Path, name: str, why: str) -> RunError:
    """Return an error that says what is wrong with a file of a run."""
    return about(path, Message("{name} is damaged: {why}", name=name, why=why))


def largest(name: str) -> int:
    """Return how many bytes a run's file may have at most, by its path in the run's folder."""
    return _LARGEST_OF.get(name, _LARGEST_JSON if name.endswith(".json") else _LARGEST_TEXT)


def read_bytes(path: Path, name: str) -> bytes:
    """Return what one of a run's files holds.

    Raises:
        RunError: It is missing, larger than such a file may be, or another than is listed.
    """
    while True:
        before = state_of(path / CHECKSUMS)
        content = _content(path, name)
        try:
            require_listed(path, name, hashlib.sha256(content).hexdigest())
            return content
        except RunError:
            # It may have been written anew after it was read, and listed before the list was.
            if state_of(path / CHECKSUMS) == before:
                raise


def _content(path: Path, name: str) -> bytes:
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


def listed(path: Path) -> dict[str, str]:
    """Return the checksums of a run's files by their paths in its folder; none where none are kept.

    Raises:
        RunError: The list is damaged.
    """
    if not (path / CHECKSUMS).exists():
        return {}
    try:
        found = json.loads(_content(path, CHECKSUMS))
    except RunError:
        raise
    except (ValueError, RecursionError) as error:
        raise damaged(path, CHECKSUMS, said(error)) from error
    texts = isinstance(found, dict) and all(type(each) is str for each in found.values())
    if not found or not texts:
        raise damaged(path, CHECKSUMS, Message("it lists no checksums"))
    return found


def require_listed(path: Path, name: str, checksum: str) -> None:
    """Refuse a file that is another than is listed; what is not listed is not compared.

    Raises:
        RunError: It is, or the list is damaged.
    """
    if listed(path).get(name, checksum) != checksum:
        raise damaged(path, name, NOT_LISTED)


def is_there(path: Path, name: str) -> bool:
    """Say whether a run has a file.

    Raises:
        RunError: It has none, but one is listed, or the list is damaged.
    """
    if (path / name).exists():
        return True
    if name in listed(path) and not (path / name).exists():
        raise about(
            path,
            Message(
                "{name} is missing, which checksums.json lists (without that file the run is "
                "read unchecked)",
                name=name,
            ),
        )
    return False


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
        raise damaged(path, name, said(error)) from error
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


def read_metrics(path: Path, offset: int = 0) -> tuple[list[dict[str, Any]], int]:
    """Return what was measured, from a byte of metrics.jsonl on, and the byte to go on from.

    A line that is still being written is left for the next time. Where the file has become shorter
    than the offset (training went back to a checkpoint), all of it is read again: then what is
    returned begins with the first step.

    Raises:
        RunError: As `read_bytes`, or a line is no JSON object of numbers with a step.
    """
    if not is_there(path, "metrics.jsonl"):
        return [], 0
    if offset:
        with open_regular(path / "metrics.jsonl") as opened:
            offset = offset if offset <= opened.seek(0, 2) else 0
            opened.seek(offset)
            content = opened.read(largest("metrics.jsonl"))
    if not offset:
        content = read_bytes(path, "metrics.jsonl")
    whole = content[: content.rfind(b"\n") + 1]
    try:
        rows = [json.loads(line) for line in whole.splitlines()]
        for row in rows:
            check_numbers(row, ("step", *row))
            if not 0 <= row["step"] <= LARGEST_NUMBER:
                raise ValueError(Message("a step is {value}", value=repr(row["step"])))
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise damaged(path, "metrics.jsonl", repr(error)) from error
    return rows, offset + len(whole)
