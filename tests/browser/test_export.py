"""What is taken away of a view, in a real browser: files that stand on their own, and links."""

from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.component import pixels

TIRED = "The animal didn't cross the street because it was too tired."
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def download(tmp_path):
    """Return a function that clicks one of the files of a view that is open; gives its path."""

    def downloaded(page, label):
        button = page.get_by_role("button", name=label, exact=True)
        with page.expect_download() as found:
            button.click()
        path = tmp_path / found.value.suggested_filename
        found.value.save_as(path)
        return path

    return downloaded


@pytest.fixture
def open_file(browser):
    """Open a file where there is no network; nothing may fail in it, or be asked for."""

    @contextmanager
    def opened(path):
        window = browser.new_context(offline=True, viewport={"width": 1280, "height": 800})
        page = window.new_page()
        faults = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: faults.append(request.url))
        page.on("dialog", lambda dialog: faults.append(dialog.message))
        page.goto(path.as_uri())
        yield page
        window.close()
        assert [fault for fault in faults if not fault.startswith((path.as_uri(), "data:"))] == []

    return opened


def test_the_file_of_the_maps_draws_them_without_app_and_network(visit, download, open_file):
    page = visit("?layer=1&head=2")
    path = download(page, "HTML")
    in_the_app = pixels(page.locator(".maps .cells canvas"))
    with open_file(path) as file:
        file.locator(".maps[data-drawn]").wait_for()
        assert np.array_equal(pixels(file.locator(".maps .cells canvas")), in_the_app)
        expect(file.locator("h1")).to_have_text("Encoder layer 1, head 2")
        expect(file.locator("dl")).to_contain_text(TIRED)
        # Other heads are in the file too, and a click shows them.
        file.get_by_role("button", name="layer 2, head 0", exact=True).click()
        expect(file.locator(".map figcaption")).to_contain_text("layer 2, head 0")
        assert not np.array_equal(pixels(file.locator(".maps .cells canvas")), in_the_app)


def test_a_link_opens_the_same_view_for_another_visitor(visit):
    page = visit("?view=maps&model=copy&sentence=a+b+c")
    page.get_by_role("radio", name="decoder self").click()
    page.get_by_role("radio", name="whole words").click()
    expect(page.get_by_role("radio", name="whole words")).to_be_checked()
    page.get_by_role("button", name="Link").click()
    link = page.get_by_test_id("stPopoverBody").locator("code").first
    expect(link).to_contain_text("unit=words")
    address = urlsplit(link.inner_text())
    # Streamlit leaves defaults out of its own address; a link names them.
    assert parse_qs(urlsplit(page.url).query).items() <= parse_qs(address.query).items()
    assert address.netloc == urlsplit(page.url).netloc
    other = visit(f"?{address.query}")
    for name in ("decoder self", "whole words"):
        expect(other.get_by_role("radio", name=name)).to_be_checked()


def test_a_table_of_colours_is_saved_as_picture_drawing_and_page(visit, download, open_file):
    page = visit("lessons?lessons=positions&positions_shown=table&model=copy&pe_length=20")
    page.locator(".js-plotly-plot .heatmaplayer image").first.wait_for(timeout=60_000)
    begins = {"Save as a picture": b"\x89PNG", "Save as a drawing": b"<svg"}
    for label, signs in begins.items():
        with page.expect_download() as found:
            page.get_by_role("button", name=label).click()
        assert found.value.suggested_filename.startswith("copy-")
        assert found.value.path().read_bytes().startswith(signs)
    with open_file(download(page, "HTML")) as file:
        file.locator(".js-plotly-plot .heatmaplayer image").first.wait_for()


def test_words_that_a_lasso_holds_are_named_with_their_neighbours(visit):
    page = visit("lessons?lessons=embedding&embedding_shown=points&model=translate")
    plot = page.locator(".js-plotly-plot .nsewdrag")
    plot.wait_for(timeout=60_000)
    box = plot.bounding_box()
    corners = [(0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9), (0.1, 0.1)]
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=5)
    page.mouse.up()
    expect(page.get_by_text("in the whole vocabulary:")).to_have_count(9)
    assert len(parse_qs(urlsplit(page.url).query)["words"][0].split(",")) == 8
    # The selection stays on the screen.
    expect(page.locator(".js-plotly-plot .selectionlayer path").first).to_be_visible()
