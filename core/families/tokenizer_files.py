"""The files of a tokenizer as text and as tables."""

import json
from pathlib import Path
from reprlib import repr
from typing import Any

from ..files import leads_out, open_regular
from ..messages import error_text
from .family import FamilyError

LARGEST = 64 << 20
"""Bytes of a tokenizer's file."""


def read_bytes(file: Path, most: int = LARGEST) -> bytes:
    """Return the content of a file of at most `most` bytes.

    Raises:
        FamilyError: It is missing, too large, or a link to somewhere else.
    """
    if leads_out(file):
        raise FamilyError("{file} leads out of its folder", file=file)
    try:
        with open_regular(file) as opened:
            content = opened.read(most + 1)
    except OSError as error:
        raise FamilyError("{file} cannot be read: {why}", file=file, why=error.strerror) from error
    if len(content) > most:
        raise FamilyError("{file} is larger than {n} MiB", file=file, n=most >> 20)
    return content


def read_text(file: Path) -> str:
    """Return the text of a file.

    Raises:
        FamilyError: It cannot be read, or is no text.
    """
    try:
        return read_bytes(file).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FamilyError("{file} is not UTF-8 text", file=file) from error


def read_named(file: Path) -> dict[str, Any]:
    """Return the JSON object of a file.

    Raises:
        FamilyError: It cannot be read, or holds none.
    """
    try:
        found = json.loads(read_text(file))
    except (ValueError, RecursionError) as error:
        if isinstance(error, FamilyError):
            raise
        raise FamilyError("{file} is damaged: {why}", file=file, why=error_text(error)) from error
    if not isinstance(found, dict):
        raise FamilyError("{file} holds no JSON object", file=file)
    return found


def read_numbers(file: Path, n: int) -> dict[str, int]:
    """Return the number of each token that a vocabulary names.

    Raises:
        FamilyError: It cannot be read, or a number is none of a model with n tokens, or is twice
            there.
    """
    numbers = read_named(file)
    for text, number in numbers.items():
        if type(number) is not int or not 0 <= number < n:
            raise FamilyError(
                "{file} gives {text} the number {number}; the model has {n}",
                file=file,
                text=repr(text),
                number=repr(number),
                n=n,
            )
    if len(set(numbers.values())) < len(numbers):
        raise FamilyError("{file} gives two tokens the same number", file=file)
    return numbers
