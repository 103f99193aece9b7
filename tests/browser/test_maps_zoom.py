"""Zooming and moving in a large attention map, in a real browser."""

import re
from itertools import pairwise

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.apps import maps_cases
from tests.browser.apps.maps_page import expected_pixels, opened_maps, point_of
from tests.browser.canvas import pixels
from tests.browser.waiting import settled, standing

pytestmark = pytest.mark.browser
SVG = "{http://www.w3.org/2000/svg}"
PART = re.compile(r"rows (\d+)–(\d+) of (\d+), columns (\d+)–(\d+) of (\d+)")


@pytest.fixture(scope="module")
def vast():
    return maps_cases.vast()


@pytest.fixture
def show(kept_pages):
    def opened(case="vast", query="", **options):
        # All of a map is in sight, also below many rows of words.
        options = {"viewport": {"width": 1280, "height": 900}} | options
        return opened_maps(kept_pages, case, query, **options)

    return opened


def window(page):
    """Return first row, first column, rows and columns as the page says them."""
    said = page.locator(".where").inner_text()
    if whole := re.fullmatch(r"all (\d+) rows, all (\d+) columns", said):
        return 0, 0, int(whole[1]), int(whole[2])
    top, bottom, _, left, right, _ = map(int, PART.fullmatch(said).groups())
    return top, left, bottom - top + 1, right - left + 1


def weight_at(maps, row, column):
    """Return how a weight of the chosen head is written."""
    written = np.format_float_positional(
        maps.weights[maps.selected][row, column], 3, fractional=False, trim="k"
    )
    return written if float(written) >= 1e-6 else None


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def at_about(page, row, column):
    """Click a cell of the whole map, which is a pixel small; return how its place is said."""
    page.mouse.click(*point_of(page, row, column, 512, 500))
    return page.locator(".tooltip .line").last.inner_text()


def assert_window_is_true(page, maps):
    """What is drawn is exactly the part that is said: colours, labels and the frame."""
    top, left, rows, columns = window(page)
    part = np.s_[top : top + rows, left : left + columns]
    shown = pixels(page.locator(".cells canvas"))
    assert (shown == expected_pixels(maps.weights[maps.selected][part], maps.visible[part])).all()
    box = page.locator(".cells").bounding_box()
    assert box["width"] / columns == pytest.approx(box["height"] / rows, abs=1e-3)
    assert box["width"] / columns <= 44
    for selector, first, count, labels, size in (
        (".labels.rows", top, rows, maps.queries, box["height"]),
        (".labels.columns", left, columns, maps.keys, box["width"]),
    ):
        places = page.locator(f"{selector} .label:not(.spare)").evaluate_all(
            "labels => labels.map(l => [l.firstChild.textContent, Number(l.style"
            ".getPropertyValue('--at'))])"
        )
        for text, at in places:
            assert 0 <= at < count
            assert text == labels[first + at].text
        steps = {after[1] - before[1] for before, after in pairwise(places)}
        assert all(step * size / count >= 11 for step in steps)


def test_a_link_shows_exactly_the_weights_of_its_part(show, vast):
    zoom = (120, 300, 60, 40)
    with show(query="&zoom=" + ",".join(map(str, zoom))) as page:
        assert window(page) == zoom
        assert_window_is_true(page, vast)
        row, column = zoom[0] + zoom[2] // 2, zoom[1] + zoom[3] // 2
        page.mouse.move(*point_of(page, zoom[2] // 2, zoom[3] // 2, *zoom[2:]))
        expect(page.locator(".tooltip")).to_contain_text(f"row {row}, column {column}")
        if written := weight_at(vast, row, column):
            expect(page.locator(".tooltip b")).to_have_text(written)
        frame, tile = (
            page.locator(name).bounding_box() for name in (".frame", "[aria-pressed=true]")
        )
        assert frame["x"] - tile["x"] == pytest.approx(zoom[1] / 500 * tile["width"], abs=1)
        assert frame["y"] - tile["y"] == pytest.approx(zoom[0] / 512 * tile["height"], abs=1)


def test_a_cell_among_many_can_be_read_with_the_keyboard(show, vast):
    with show() as page:
        page.locator(".cells").focus()
        press(page, *["ArrowDown"] * 40, "End", *["ArrowLeft"] * 30, "Enter")
        assert_window_is_true(page, vast)
        top, left, rows, columns = window(page)
        assert top < 40 < top + rows < 512 and left < 469 < left + columns
        expect(page.locator(".live")).to_contain_text(page.locator(".where").inner_text())
        press(page, *["ArrowDown"] * (rows + 3), *["ArrowLeft"] * 5)
        row, column = 40 + rows + 3, 464
        said = f"t{row} → s{column} {weight_at(vast, row, column)}."
        expect(page.locator(".live")).to_contain_text(said)
        # The window has followed just so far that the cell is its last row.
        assert window(page) == (row - rows + 1, left, rows, columns)
        assert_window_is_true(page, vast)


def test_the_wheel_zooms_where_it_is_meant_and_else_scrolls_the_page(show, vast):
    with show(viewport={"width": 1280, "height": 500}) as page:
        main = page.locator("[data-testid=stMain]")
        page.locator(".cells").scroll_into_view_if_needed()
        point = [round(at) for at in point_of(page, 200, 333, 512, 500)]
        page.mouse.move(*point)
        before = main.evaluate("main => main.scrollTop")
        page.mouse.wheel(0, -30)
        page.wait_for_function(
            "([main, before]) => main.scrollTop < before", arg=[main.element_handle(), before]
        )
        assert window(page) == (0, 0, 512, 500)
        place = page.locator(".tooltip .line").last
        page.mouse.move(point[0] + 1, point[1] + 30)
        under = place.inner_text()
        page.keyboard.down("Control")
        # Wheels answer late: only where none can change anything more is it over.
        for _ in range(20):
            page.mouse.wheel(0, -100)
        page.keyboard.up("Control")
        expect(page.get_by_role("button", name="Zoom in")).to_have_attribute(
            "aria-disabled", "true"
        )
        expect(place).to_have_text(under)
        assert_window_is_true(page, vast)
        # Once the map has the focus it needs no other key; when all is shown the page scrolls.
        page.mouse.click(point[0] + 1, point[1] + 30)
        zoomed = page.locator(".where").inner_text()
        page.mouse.wheel(0, 100)
        expect(page.locator(".where")).not_to_have_text(zoomed)
        for _ in range(20):
            page.mouse.wheel(0, 100)
        expect(page.locator(".where")).to_contain_text("all 512 rows")


def test_a_drag_moves_the_map_and_a_click_stays_a_click(show, vast):
    with show(query="&zoom=100,100,20,30") as page:
        start, end = point_of(page, 10, 20, 20, 30), point_of(page, 4, 7, 20, 30)
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end, steps=5)
        page.mouse.up()
        assert window(page) == (106, 113, 20, 30)
        assert_window_is_true(page, vast)
        page.mouse.move(*point_of(page, 0, 0, 20, 30))
        page.mouse.move(5, 5)
        # It has chosen no cell: nothing is left marked.
        expect(page.locator(".cursor")).to_be_hidden()
        # What the drag reported has been answered, and nothing moves any more.
        settled(page)
        standing(page.locator(".cells"))
        x, y = point_of(page, 2, 3, 20, 30)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 1, y + 1)
        page.mouse.up()
        page.mouse.move(5, 5)
        expect(page.locator(".tooltip")).to_contain_text("row 108, column 116")
        assert window(page) == (106, 113, 20, 30)


def test_the_page_learns_where_a_zoom_came_to_rest_and_a_reload_shows_it(show):
    with show() as page:
        at_about(page, 300, 250)
        press(page, "Enter", "ArrowDown", "PageDown")
        part = window(page)
        told = ",".join(map(str, part))
        expect(page.get_by_text(re.compile(rf"zooms: \d+, {told}$"))).to_be_visible()
        page.reload()
        page.locator(".maps[data-drawn]").wait_for()
        assert window(page) == part
        page.get_by_role("button", name="Show all").click()
        expect(page.get_by_text("zooms: 1, all")).to_be_visible()
        assert window(page) == (0, 0, 512, 500)


def test_heads_of_very_many_weights_are_shown_at_once_and_exactly_when_they_have_come(show):
    maps = maps_cases.CASES["huge"]()
    with show("huge", query="&zoom=200,190,20,22") as page:
        assert_window_is_true(page, maps)
        pooled = page.locator(".grid .note").inner_text()
        pool = int(re.fullmatch(r"each pixel shows the largest of (\d+) × \1 weights", pooled)[1])
        first = pixels(page.locator(".sheet canvas"))[0, 0]
        largest = maps.weights[0, 0, :pool, :pool].max(keepdims=True)
        assert (first == expected_pixels(largest, np.ones((1, 1), bool))[0, 0]).all()
        page.get_by_role("button", name="layer 1, head 2", exact=True).click()
        # Drawn by the browser itself, before any answer can have come.
        shown = pixels(page.locator(".cells canvas"))
        blocks = maps.weights[1, 2, 200:220, 190:212].reshape(10, 2, 11, 2).max((1, 3))
        at_least = expected_pixels(blocks.repeat(2, 0).repeat(2, 1), np.ones((20, 22), bool))
        exact = expected_pixels(maps.weights[1, 2, 200:220, 190:212], np.ones((20, 22), bool))
        assert (shown == at_least).all() or (shown == exact).all()
        expect(page.locator(".maps")).to_have_attribute("data-exact", "true")
        assert (pixels(page.locator(".cells canvas")) == exact).all()
