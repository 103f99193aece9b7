"""Every view of every page can be taken away: as numbers, as a page, as a link, as Python."""

import csv
import io
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from pages.frame import view as frame
from pages.frame.files import as_csv, as_json

ROOT = Path(__file__).resolve().parents[2]
SENTENCE = "The animal slept because it was tired."
PAGES = {
    "attention": "view",
    "heads": "trial",
    "decoding": "decoding",
    "masks": "masks",
    "positions": "positions",
    "scaling": "scaling",
    "layers": "layers",
    "training": "training",
    "runs": "",
}
"""Page → the name of its views in the URL; empty where what is ticked chooses among them."""
ASKED = {
    ("runs", "run"): {"runs": "copy"},
    ("runs", "compare"): {"runs": ["copy", "copy-learned"]},
    ("decoding", "exposure"): {"measure_exposure": "true", "model": "copy"},
    ("attention", "compare"): {"other_sentence": "The street slept because it was wide."},
}
"""Page and view → what else a link must say for it."""
CASES = [
    (page, each.name)
    for page, name in PAGES.items()
    for each in getattr(import_module(f"pages.{page}"), "VIEWS", ())
]


@pytest.fixture
def offered(monkeypatch):
    """What views hand over while a page is drawn."""
    found = []
    offer = frame.offer

    def noted(shown, view, facts):
        found.append((shown, view, facts))
        offer(shown, view, facts)

    monkeypatch.setattr(frame, "offer", noted)
    return found


@pytest.fixture
def shown(offered, open_page):
    """Return a function that opens a view by its name; the newest of what it hands over."""

    def opener(page, name):
        asked = {PAGES[page]: name} if PAGES[page] else {}
        at = open_page(page, sentence=SENTENCE, **asked, **ASKED.get((page, name), {}))
        assert not at.exception
        return at, offered[-1]

    return opener


@pytest.mark.parametrize(("page", "name"), CASES)
def test_every_file_of_every_view_holds_what_is_shown(shown, page, name, tmp_path):
    at, (handed, view, facts) = shown(page, name)
    assert view.name == name
    numbers = handed.numbers()
    lengths = {len(column) for column in numbers.values()}
    assert len(lengths) == 1, {name: len(column) for name, column in numbers.items()}
    names, *rows = csv.reader(io.StringIO(as_csv(numbers)))
    assert len(names) == len(numbers)
    assert {len(rows)} == lengths
    told = json.loads(as_json({"title": handed.title, **facts}, numbers))
    assert told["title"] == handed.title
    page_of_its_own = frame.page(handed, {**facts, **handed.about, "link": "http://127.0.0.1/"})
    assert handed.title.split()[0] in page_of_its_own
    assert set(handed.about) <= set(frame.FACTS)
    buttons = {button.label for button in at.get("download_button")}
    assert {"CSV", "JSON", "HTML"} <= {label.split("-")[0] for label in buttons}


@pytest.mark.parametrize(("page", "name"), CASES)
def test_the_python_of_every_view_runs_and_leaves_its_numbers(shown, page, name):
    _at, (handed, _view, _facts) = shown(page, name)
    ending = "\nassert numbers is not None\n"
    command = [sys.executable, "-c", handed.python + ending]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
