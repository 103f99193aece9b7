"""One drawing of a view by the tests: what stands on the page, and all that can be taken away."""

import csv
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.frame.export import as_json
from tests.pages.conftest import ROOT, _run_page
from tests.pages.sent import SHOWN_AS_THEY_ARE, sent

HOSTILE = (
    "The <img src=x onerror=alert(1)> [x](javascript:alert(2)) $$z$$ :red[y] **bold** "
    "![i](http://elsewhere.example/x.png) <script>alert(3)</script> &lt; :smile: it </s> שלום سلام."
)
MARKS = (
    *("<img src=x", "<script>alert", "</s>", "](javascript", "](http"),
    *("$$z", ":red[y", "**bold", "&lt; :", ":smile:"),
)
FILE = re.compile("(PNG|SVG|CSV|JSON|HTML)\\b")
EMPTY = tempfile.TemporaryDirectory()
ISOLATED = re.compile("\u2068[^\u2068\u2069]*\u2069")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A page as it was drawn once."""

    at: AppTest
    files: Mapping[str, Callable[[], str | bytes]]
    """Label of each download button → what makes its file."""

    @property
    def seen(self) -> list[str]:
        """The lines that say what there is to see."""
        found = [line.value for line in self.at.markdown if "What you see" in line.value]
        return [line.partition("]")[2].strip() for line in found]

    @property
    def reasons(self) -> list[str]:
        """What stands in the place of a picture that the model does not have."""
        return [each.value for each in (*self.at.info, *self.at.error)]

    @property
    def python(self) -> str:
        """The code that computes the view's numbers again."""
        [popover] = [
            block
            for block in _blocks(self.at.main)
            if block.type == "popover" and "Python" in block.proto.popover.label
        ]
        [code] = popover.code
        return code.value

    @property
    def about(self) -> dict:
        """What the JSON file holds."""
        return json.loads(self.files["JSON"]())


def _blocks(block):
    for child in block.children.values():
        if hasattr(child, "children"):
            yield child
            yield from _blocks(child)


def draw(page: str, query: Mapping[str, str | list[str]]) -> Drawing:
    """Open a page by its link, without the others, and note what its buttons would write."""
    files = {}
    button = st.download_button

    def noted(label, data, **how):
        files[label] = data
        return button(label, data=data, **how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "download_button", noted)
        at = AppTest.from_function(_run_page, kwargs={"name": page}, default_timeout=90)
        at.query_params.update(query)
        at.run()
    assert not at.exception, at.exception
    # A page has buttons of its own.
    return Drawing(at, {name: made for name, made in files.items() if FILE.match(name)})


def taken_for_markup(at: AppTest) -> list[tuple[str, str]]:
    """Return what of the hostile texts would not be shown as it is."""
    found = [(kind, text) for kind, text in sent(at) if kind not in SHOWN_AS_THEY_ARE]
    return [(kind, mark) for kind, text in found for mark in MARKS if mark in text]


def left_bare(at: AppTest) -> list[tuple[str, str]]:
    """Return the texts in which words that run from right to left could move their neighbours."""
    found = []
    for kind, text in sent(at):
        # In HTML each word has an element of its own; a column holds no text.
        if kind in {*SHOWN_AS_THEY_ARE, "html", "column"}:
            continue
        while ISOLATED.search(text):
            text = ISOLATED.sub("", text)
        if {"R", "AL"} & set(map(unicodedata.bidirectional, text)):
            found.append((kind, text))
    return found


def assert_files(drawing: Drawing) -> None:
    """Make sure that every file can be made, and is what its button calls it."""
    files = {label: made() for label, made in drawing.files.items()}
    columns = json.loads(files.pop("JSON"))["columns"]
    names, *rows = csv.reader(io.StringIO(files.pop("CSV"), newline=""))
    assert names == list(columns)
    assert {len(column) for column in columns.values()} == {len(rows)}
    HTMLParser().feed(files.pop("HTML"))
    assert len([label for label in files if label.startswith("PNG")]) * 2 == len(files)
    for label, file in files.items():
        if label.startswith("PNG"):
            assert file.startswith(b"\x89PNG\r\n")
        else:
            assert ElementTree.fromstring(file).tag == "{http://www.w3.org/2000/svg}svg"


@cache
def _readers_python() -> subprocess.Popen:
    """Return a process in an empty folder, which finds the checkout only by PYTHONPATH.

    It ends with the tests: its input is closed then.
    """
    return subprocess.Popen(
        [sys.executable, "-P", ROOT / "tests" / "pages" / "python_of_views.py"],
        cwd=EMPTY.name,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def assert_computes(python: str, columns: Mapping[str, list]) -> None:
    """Make sure that Python computes in `numbers` what a table holds, and shows something.

    What has the table's columns is the whole table, exactly; else a part of it is enough.
    """
    process = _readers_python()
    print(json.dumps(python), file=process.stdin, flush=True)
    found = json.loads(process.stdout.readline())
    assert "error" not in found, f"{python}\n{found['error']}"
    assert found["shown"]
    numbers = found["numbers"]
    if list(numbers) == list(columns):
        assert json.loads(as_json({}, numbers))["columns"] == columns
    else:
        # A column of texts may say otherwise what Python has as numbers, a shape for example.
        numbers = {name: numbers[name] for name in numbers if not _is_text(columns.get(name, ()))}
    computed, shown = set(_numbers(numbers)), set(_numbers(columns))
    assert computed
    # What was measured and stored on another machine is rounded otherwise there.
    strange = [
        x for x in computed - shown if not any(math.isclose(x, y, rel_tol=1e-5) for y in shown)
    ]
    assert not strange, f"{len(strange)} of {len(computed)} are not shown: {strange[:5]}"


def _is_text(column):
    return bool(column) and all(isinstance(value, str) for value in column)


def _numbers(values):
    """Yield the finite numbers of nested values, as numbers of Python."""
    if isinstance(values, Mapping):
        values = list(values.values())
    if isinstance(values, list | tuple):
        for value in values:
            yield from _numbers(value)
    elif isinstance(values, int | float) and math.isfinite(values):
        yield values
