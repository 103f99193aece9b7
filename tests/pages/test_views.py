"""Every view of every page can be taken away: as numbers, as a page, as a link, as Python."""

import csv
import io
import json
from contextlib import chdir
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from pages import attention, decoding, heads, layers, masks, positions, runs, scaling, training
from pages.frame import view as frame
from pages.frame.export import FACTS
from pages.views.heads import prune
from tests.pages.every_view import CASES, query_of

ROOT = Path(__file__).resolve().parents[2]
SENTENCE = "The animal slept because it was tired."


@pytest.fixture
def offered():
    """What views hand over while a page is drawn, and label → what each of their files is made by.

    Of heads that go one by one, a short look.
    """
    found = []
    offer, button = frame.offer, frame.st.download_button

    def noted(shown, view, *others):
        found.append((shown, view, {}))
        offer(shown, view, *others)

    def noted_button(label, data, **how):
        if found:
            found[-1][-1][label] = data
        return button(label, data=data, **how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame, "offer", noted)
        patch.setattr(frame.st, "download_button", noted_button)
        patch.setattr(prune, "N_PRUNED", 6)
        yield found


@pytest.fixture
def shown(offered, open_page):
    """Return a function that opens a page as a link does, and the newest of what is handed over."""

    def opener(page, **query):
        at = open_page(page, **query)
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
    at, (handed, view, files) = shown(page, sentence=SENTENCE, **query_of(page, name))
    assert view == name
    assert set(files) <= {button.label for button in at.get("download_button")}
    written = {label: made() for label, made in files.items()}
    about = json.loads(written.pop("JSON"))
    assert about["title"] == handed.title
    assert_same_numbers(written.pop("CSV"), about["columns"])
    assert set(handed.about) <= set(FACTS)
    assert handed.seen.strip().endswith((".", "”"))
    assert_opens(offline, handed, written.pop("HTML"), tmp_path / "view.html")
    tables = [] if handed.pictures else [handed.numbers]
    assert_pictures(written, [each for each in handed.pictures if each.chart is not None] or tables)
    # Components have buttons of their own.
    for ending in ("png", "svg"):
        buttons = offline.locator(f".tools .{ending}").count()
        assert buttons + len([label for label in written if label.lower().startswith(ending)]) > 0
    # Its Python needs no more than the project's folder.
    found = {}
    with chdir(ROOT):
        exec(handed.snippet(), found)
    assert found["numbers"] is not None
    _, (again, its_view, _) = shown(page, **parse_qs(urlsplit(about["link"]).query))
    assert (its_view, again.name, again.title) == (name, handed.name, handed.title)


def assert_same_numbers(as_csv, columns):
    """Make sure that both files have the same columns, which are of the same length."""
    names, *rows = csv.reader(io.StringIO(as_csv))
    assert names == list(columns)
    assert {len(column) for column in columns.values()} == {len(rows)}


def assert_pictures(files, charts):
    """Make sure that there are two files of every chart, each of which is what it is called."""
    assert len(files) == 2 * len(charts)
    for label, file in files.items():
        begins = {"PNG": b"\x89PNG\r\n", "SVG": "<svg "}[label.partition("-")[0]]
        assert file.startswith(begins)


def assert_opens(offline, handed, written, file):
    """Open the view's own page, and make sure that all of its pictures are drawn."""
    failed = []

    def note(error):
        failed.append(error)

    offline.on("pageerror", note)
    file.write_text(written, encoding="utf-8")
    offline.goto(file.as_uri())
    expect(offline.locator("h1")).to_have_text(handed.title)
    drawn = offline.locator("[data-drawn], .chart > svg, .numbers table, .numbers p")
    expect(drawn.first).to_be_attached()
    for number, picture in enumerate(handed.pictures):
        if picture.assets is not None:
            expect(offline.locator(f"#view-{number} [data-drawn]").first).to_be_attached()
    offline.remove_listener("pageerror", note)
    assert not failed


def test_no_two_views_are_called_the_same_and_none_like_a_page():
    pages = (attention, decoding, heads, layers, masks, positions, runs, scaling, training)
    names = [page.__name__.rsplit(".", 1)[-1] for page in pages]
    labels = [view.text.label.lower() for page in pages for view in page.VIEWS]
    assert sorted({*names, *labels}) == sorted([*names, *labels])
