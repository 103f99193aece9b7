import contextlib
import csv
import html
import io

import numpy as np
import pytest

from tests.pages.conftest import MODEL, ROOT


def run_lines(lines, root=ROOT):
    """Run Python as a reader does in the repository root; return its `numbers` one after another.

    Args:
        lines: The `python` of a `Shown`.
        root: Of the repository; for runs of one's own the folder in which `runs/` is.
    """
    found = {}
    with contextlib.chdir(root):
        exec(compile(lines, "lines", "exec"), found)
    return flat(found["numbers"])


def flat(numbers):
    """Return the numbers of arrays, or of a dict or list of arrays, as one list."""
    if isinstance(numbers, dict):
        numbers = list(numbers.values())
    if isinstance(numbers, list | tuple):
        return [number for part in numbers for number in flat(part)]
    return np.asarray(numbers).reshape(-1).tolist()


def seen(at):
    """Return the line that says what there is to see, as people read it."""
    mark = "**What you see:**]"
    [line] = [each.value for each in at.markdown if mark in each.value]
    return html.unescape(line.partition(mark)[2].strip()).replace("\u00a0", " ")


def written(weight):
    """Return a weight as that line writes it."""
    return "less than 0.01" if 0 < weight < 0.005 else f"{weight:.2f}"


def from_csv(text):
    """Read a CSV file as a program does that knows of the apostrophes; every value is text."""
    names, *rows = csv.reader(io.StringIO(text, newline=""))
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return {
        name.removeprefix("'"): [value.removeprefix("'") for value in values]
        for name, values in zip(names, columns, strict=True)
    }


@pytest.fixture
def open_view(open_app, taken):
    """Return a function that opens a view as a link does, and gives the page and its `Shown`."""

    def opener(view, **query_params):
        at = open_app(view=view, **({"model": MODEL} | query_params))
        return at, taken[-1] if taken else None

    return opener
