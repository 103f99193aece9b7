"""Zooming and moving in matrices side by side, in a real browser."""

import csv
import io
import re
from functools import partial
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.apps import matrices_cases
from tests.browser.apps.matrices_page import (
    cell_sizes,
    expected_pixels,
    opened_matrices,
    panel_of,
    saved,
    written,
)
from tests.browser.canvas import pixels
from viz.plane.maps import DEFAULT_MAPS_TEXTS

pytestmark = pytest.mark.browser
PART = re.compile(r"rows (\d+)–(\d+) of \d+, columns (\d+)–(\d+) of \d+")
WHOLE = re.compile(r"all (\d+) rows, all (\d+) columns")


@pytest.fixture
def show(kept_pages):
    # Cells can be chosen only where the page asks for it.
    return partial(opened_matrices, kept_pages, query="&quiet=1")


def window(page, panel=0):
    """Return first row, first column, rows and columns as the page says them."""
    said = panel_of(page, panel).locator(".where").inner_text()
    if whole := WHOLE.fullmatch(said):
        return 0, 0, int(whole[1]), int(whole[2])
    top, bottom, left, right = map(int, PART.fullmatch(said).groups())
    return top, left, bottom - top + 1, right - left + 1


def point_of(page, row, column, panel=0):
    """Return where the middle of a cell is that is shown."""
    box = panel_of(page, panel).locator(".cells").bounding_box()
    top, left, rows, columns = window(page, panel)
    return (
        box["x"] + (column - left + 0.5) * box["width"] / columns,
        box["y"] + (row - top + 0.5) * box["height"] / rows,
    )


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def assert_window_is_true(page, matrix, panel=0):
    """What is drawn is exactly the part that is said: colours, and the labels of their cells."""
    top, left, rows, columns = window(page, panel)
    part = expected_pixels(matrix)[top : top + rows, left : left + columns]
    assert (pixels(panel_of(page, panel).locator("canvas.colours")) == part).all()
    width, height = cell_sizes(page, panel)
    for which, first, labels, size in (
        ("rows", top, matrix.rows.labels, height),
        ("columns", left, matrix.columns.labels, width),
    ):
        places = (
            panel_of(page, panel)
            .locator(f".labels.{which} .label:not(.spare)")
            .evaluate_all(
                "labels => labels.map(l => [l.firstChild.title || l.firstChild.textContent,"
                " Number(l.style.getPropertyValue('--at'))])"
            )
        )
        assert all(text == labels[first + at].text for text, at in places)
        assert all((after[1] - before[1]) * size >= 11 for before, after in pairwise(places))


def test_panels_of_the_same_words_are_zoomed_and_moved_together_with_keys(show):
    first, second = matrices_cases.CASES["vast"]().panels
    with show("vast") as page:
        assert page.locator(".hint").inner_text() == DEFAULT_MAPS_TEXTS["zoom.hint"]
        tooltip, live = page.locator(".tooltip"), page.locator(".live")
        panel_of(page, 1).locator(".cells").focus()
        press(page, *["ArrowDown"] * 30, *["ArrowRight"] * 25, "Enter")
        top, left, rows, columns = window(page, 1)
        assert top < 30 < top + rows < 90
        assert 0 < left < 25 < left + columns < 90
        assert_window_is_true(page, second, 1)
        expect(live).to_contain_text(panel_of(page, 1).locator(".where").inner_text())
        press(page, *["ArrowDown"] * rows)
        expect(tooltip).to_contain_text(f"t{30 + rows} → s25")
        expect(tooltip).to_contain_text(f"row {30 + rows}, column 25")
        # The window has followed just so far that the cell is its last row.
        assert window(page, 1) == (30 + 1, left, rows, columns)
        press(page, "PageDown", "Shift+ArrowLeft", "-")
        assert_window_is_true(page, second, 1)
        row, column = 30 + 2 * rows, 25 - columns
        expect(tooltip).to_contain_text(f"row {row}, column {column}")
        assert window(page, 1)[2] > rows
        press(page, "Escape")
        expect(tooltip).to_be_hidden()
        assert window(page, 1)[2] < 512
        press(page, "Escape")
        assert window(page, 1) == (0, 0, 512, 500)
        press(page, "+", "+", "0", "+")
        assert window(page) == window(page, 1) != (0, 0, 512, 500)
        assert_window_is_true(page, second, 1)
        assert_window_is_true(page, first)


def test_clicks_and_other_values_keep_the_zoom_and_other_words_show_all(show):
    (matrix,) = matrices_cases.CASES["leftwards"]().panels
    with show("leftwards", query="") as page:
        page.mouse.dblclick(*point_of(page, 50, 30))
        part = top, left, rows, columns = window(page)
        assert panel_of(page).locator(".labels.columns .label").count() == columns
        assert_window_is_true(page, matrix)
        page.mouse.click(*point_of(page, top + 1, left + 2))
        expect(page.get_by_text(f"picked: (0, {top + 1}, {left + 2})")).to_be_visible()
        frame = panel_of(page).locator(".chosen")
        expect(frame).to_have_attribute("style", "--row: 1; --column: 2;")
        drawn = panel_of(page).get_attribute("data-drawn")
        page.get_by_role("button", name="change").click()
        expect(panel_of(page)).not_to_have_attribute("data-drawn", drawn)
        assert window(page) == part
        flipped = expected_pixels(matrix)[::-1, ::-1][top : top + rows, left : left + columns]
        assert (pixels(panel_of(page).locator("canvas.colours")) == flipped).all()
        page.get_by_role("button", name="others").click()
        expect(panel_of(page).locator(".where")).to_have_text("all 70 rows, all 64 columns")


def test_what_is_zoomed_is_what_is_saved_and_a_table_is_whole(show):
    (matrix,) = matrices_cases.CASES["leftwards"]().panels
    with show("leftwards") as page:
        page.mouse.dblclick(*point_of(page, 40, 30))
        top, left, rows, columns = window(page)
        said = panel_of(page).locator(".where").inner_text()
        texts = written(ElementTree.parse(saved(page, 0, "svg")).getroot())
        texts = [text.strip("\u2068\u2069") for text in texts]
        table = list(csv.reader(io.StringIO(saved(page, 0, "csv").read_text(encoding="utf-8"))))
    assert said in texts
    assert [text for text in texts if "שלום" in text] == [
        f"שלום{i}" for i in range(left, left + columns)
    ]
    assert [text for text in texts if "مرحبا" in text] == [
        f"مرحبا{i}" for i in range(top, top + rows)
    ]
    assert (np.array([line[1:] for line in table[1:]], np.float32) == matrix.values).all()
