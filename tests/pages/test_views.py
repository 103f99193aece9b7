"""Every view of every page can be taken away: as numbers, as a page, as a link, as Python."""

import csv
import io
import json
from contextlib import chdir
from importlib import import_module
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pages.frame import view as frame
from pages.frame.files import as_csv, as_json
from pages.views.heads import prune

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
    ("heads", "prune"): {"model": "copy"},
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
def offered():
    """What views hand over while a page is drawn; of heads that go one by one, a short look."""
    found = []
    offer = frame.offer

    def noted(shown, view, facts):
        found.append((shown, view, facts))
        offer(shown, view, facts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame, "offer", noted)
        patch.setattr(prune, "N_PRUNED", 6)
        yield found


@pytest.fixture
def shown(offered, open_page):
    """Return a function that opens a view by its name; the newest of what it hands over."""

    def opener(page, name):
        asked = {PAGES[page]: name} if PAGES[page] else {}
        at = open_page(page, sentence=SENTENCE, **asked, **ASKED.get((page, name), {}))
        assert not at.exception
        return at, offered[-1]

    return opener


@pytest.fixture(scope="module")
def offline(browser):
    """A page of a browser that has no network."""
    window = browser.new_context(offline=True)
    yield window.new_page()
    window.close()


@pytest.mark.browser
@pytest.mark.parametrize(("page", "name"), CASES)
def test_everything_of_every_view_can_be_taken_away(shown, page, name, offline, tmp_path):
    at, (handed, view, facts) = shown(page, name)
    assert view.name == name
    numbers = handed.numbers()
    [n_rows] = {len(column) for column in numbers.values()}
    names, *rows = csv.reader(io.StringIO(as_csv(numbers)))
    assert (len(names), len(rows)) == (len(numbers), n_rows)
    assert json.loads(as_json({"title": handed.title, **facts}, numbers))["title"] == handed.title
    buttons = {button.label.split("-")[0] for button in at.get("download_button")}
    assert {"CSV", "JSON", "HTML"} <= buttons
    assert set(handed.about) <= set(frame.FACTS)
    assert_opens(offline, handed, facts, tmp_path / "view.html")
    # Its Python needs no more than the project's folder.
    found = {}
    with chdir(ROOT):
        exec(handed.python, found)
    assert found["numbers"] is not None


def assert_opens(offline, handed, facts, file):
    """Open the view's own page, and make sure that all of its pictures are drawn."""
    failed = []

    def note(error):
        failed.append(error)

    offline.on("pageerror", note)
    file.write_text(frame.page(handed, {**facts, **handed.about}), encoding="utf-8")
    offline.goto(file.as_uri())
    expect(offline.locator("h1")).to_have_text(handed.title)
    drawn = offline.locator("[data-drawn], .chart > svg, .numbers table, .numbers p")
    expect(drawn.first).to_be_attached()
    for number, picture in enumerate(handed.pictures):
        if picture.assets is not None:
            expect(offline.locator(f"#view-{number} [data-drawn]").first).to_be_attached()
    offline.remove_listener("pageerror", note)
    assert not failed
