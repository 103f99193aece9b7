"""The files in which a view can be taken away."""

import csv
import hashlib
import io
import json
import math
from collections.abc import Mapping, Sequence

import numpy as np
import regex

from core.tokenizer.words import beginning

Column = Sequence[object]
Columns = Mapping[str, Column]
"""Name of a column → its values, as many in each."""

TOLD = ("model", "sentence")
MOST_LETTERS = 24
"""Of each of them: some systems take no long names."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""A text in a CSV file that begins so is a formula to some spreadsheets."""
_MARK = "'"


def as_csv(columns: Columns) -> str:
    """Return a CSV file.

    Texts stand in quotes. Numbers do not, and have as many digits as it takes to read exactly the
    same ones again. A text that a spreadsheet might take for a formula, and one that begins with
    an apostrophe, has an apostrophe put before it: a program that takes one apostrophe away where
    a text begins with one has every text as it was.

    Args:
        columns: Name → values, all of the same length.
    """
    text = io.StringIO()
    lines = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    lines.writerow(map(_guarded, columns))
    lines.writerows(map(_guarded, row) for row in zip(*columns.values(), strict=True))
    return text.getvalue()


def as_json(about: Mapping[str, object], columns: Columns) -> str:
    """Return a JSON file: facts, and the numbers as lists under `columns`.

    Numbers have as many digits as it takes to read exactly the same ones again; where one is not
    finite, which JSON cannot say, stands null.
    """
    written = {name: list(map(_finite, values)) for name, values in columns.items()}
    return json.dumps({**about, "columns": written}, ensure_ascii=False, allow_nan=False)


def stem(facts: Mapping[str, object]) -> str:
    """Return how the names of all files of a view begin: model and first words of the sentence.

    What is not said in full is told apart by four digits.

    >>> stem({"model": "runs/copy", "sentence": "The animal didn't cross the street."})
    'runs-copy-The-animal-didn-t-cross-d65d-'
    >>> stem({"runs": "copy"})
    ''
    """
    return "".join(f"{_slug(str(facts[name]))}-" for name in TOLD if facts.get(name))


def _slug(text: str) -> str:
    """Return the letters of any script, with their marks, and digits: any system takes them."""
    found = regex.findall(r"[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*", text)
    whole = "-".join(found)
    words = beginning(whole, MOST_LETTERS)
    if len(words) < len(whole) and "-" in words:
        words = f"{words}{whole[len(words)]}".rpartition("-")[0]
    if words == text.replace("/", "-"):
        return words
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=2).hexdigest()
    return f"{words}-{digest}".strip("-")


def stacked(*tables: Columns) -> Columns:
    """Return several tables below each other as one; None where a table has no such column.

    >>> stacked({"x": [1, 2]}, {"x": [3], "loss": [0.5]})
    {'x': [1, 2, 3], 'loss': [None, None, 0.5]}
    """
    names = list(dict.fromkeys(name for table in tables for name in table))
    heights = [len(next(iter(table.values()), ())) for table in tables]
    return {
        name: [
            value
            for table, height in zip(tables, heights, strict=True)
            for value in table.get(name, [None] * height)
        ]
        for name in names
    }


def _guarded(value: object) -> object:
    value = _plain(value)
    if isinstance(value, str) and value.startswith((*_FORMULA, _MARK)):
        return _MARK + value
    return value


def _finite(value: object) -> object:
    value = _plain(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: object) -> object:
    """Return a number of numpy's as one of Python's."""
    return value.item() if isinstance(value, np.generic) else value
