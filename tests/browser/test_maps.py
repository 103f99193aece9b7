"""The attention maps in a real browser: what is drawn, read and sent, whole and zoomed."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.apps import maps_cases
from tests.browser.component import (
    SVG,
    drawing_of,
    expect_heard,
    hover_cell,
    pixels,
    press,
    texts_of,
    weight_pixels,
)
from tests.browser.kept import APPS

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PART = re.compile(r"rows (\d+)–(\d+) of (\d+), columns (\d+)–(\d+) of (\d+)")


def tile(page, layer, head):
    return page.get_by_role("button", name=f"layer {layer}, head {head}", exact=True)


def test_every_cell_and_every_thumbnail_has_the_colour_of_its_weight(show):
    maps = maps_cases.known()
    with show("maps", "known") as page:
        shown = pixels(page.locator(".cells canvas"))
        hatch = page.locator(".cells canvas").evaluate("c => getComputedStyle(c).backgroundImage")
        sheet = pixels(page.locator(".sheet canvas"))
        corner = page.locator(".sheet canvas").bounding_box()
        boxes = {at: tile(page, *at).bounding_box() for at in np.ndindex(2, 3)}
    assert (shown == weight_pixels(maps.weights[1, 2], maps.visible)).all()
    # It is seen where a cell is clear, for the mask hides it.
    assert "repeating-linear-gradient" in hatch
    for at, box in boxes.items():
        rows = (box["y"] - corner["y"] + (np.arange(5) + 0.5) * box["height"] / 5).astype(int)
        columns = (box["x"] - corner["x"] + (np.arange(7) + 0.5) * box["width"] / 7).astype(int)
        assert (sheet[np.ix_(rows, columns)] == weight_pixels(maps.weights[at], maps.visible)).all()


def test_a_click_on_a_thumbnail_shows_that_head_and_tells_python(show):
    maps = maps_cases.known()
    with show("maps", "known") as page:
        tile(page, 0, 1).click()
        # Drawn by the browser itself, before any answer can have come.
        shown = pixels(page.locator(".cells canvas"))
        assert (shown == weight_pixels(maps.weights[0, 1], maps.visible)).all()
        expect(tile(page, 0, 1)).to_have_attribute("aria-pressed", "true")
        expect_heard(page, "pick", {"layer": 0, "head": 1})
        expect(page.locator(".maps")).to_have_attribute("data-exact", "true")
        expect(hover_cell(page, 2, 2)).to_have_text(f"chat → black {maps.weights[0, 1, 2, 2]:#.3g}")
        for head in (0, 2, 1, 2):
            tile(page, 1, head).click()
        expect_heard(page, "pick", {"layer": 1, "head": 2})
        expect(page.locator(".map figcaption")).to_contain_text("layer 1, head 2")


def test_heads_and_cells_are_read_with_the_keyboard(show):
    with show("maps", "known") as page:
        tile(page, 1, 2).focus()
        press(page, "ArrowUp", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Enter")
        expect_heard(page, "pick", {"layer": 0, "head": 0})
        expect(page.locator(".live")).to_contain_text("Decoder layer 0, head 0")
        tile(page, 1, 2).click()
        expect(page.locator(".maps")).to_have_attribute("data-exact", "true")
        # Past the two pictures of all heads.
        press(page, *["Tab"] * 3, *["ArrowDown"] * 3, "End", "ArrowLeft", "ArrowLeft")
        expect(page.locator(".live")).to_have_text("dort → sleeps 0.973. fed dort, predicts là")
        expect(page.locator(".cursor")).to_be_visible()
        press(page, "Escape")
        expect(page.locator(".tooltip")).to_be_hidden()


def test_drawings_hold_every_cell_and_label_and_the_thumbnails(show):
    maps = maps_cases.known()
    with show("maps", "known") as page:
        drawing = drawing_of(page, ".map .tools .svg")
        all_heads = drawing_of(page, ".grid .tools .svg")
        sheet = pixels(page.locator(".sheet canvas"))
    labels = {label.text for label in (*maps.queries, *maps.predicted, *maps.keys)}
    assert labels | {"key: the word looked at", "weight"} <= set(texts_of(drawing))
    (cells,) = (group for group in drawing.iter(f"{SVG}g") if group.get("class") == "cells")
    colours = [tuple(bytes.fromhex(cell.get("fill")[1:])) for cell in cells]
    expected = weight_pixels(maps.weights[maps.selected], maps.visible).reshape(-1, 4)
    assert colours == [tuple(pixel[:3]) for pixel in expected if pixel[3]]
    assert {"L0", "L1", "H0", "H2", "hidden by the mask"} <= set(texts_of(all_heads))
    (image,) = all_heads.iter(f"{SVG}image")
    drawn = base64.b64decode(image.get("href").removeprefix("data:image/png;base64,"))
    assert (np.asarray(Image.open(io.BytesIO(drawn)).convert("RGBA")) == sheet).all()


@pytest.fixture(scope="module")
def vast():
    return maps_cases.vast()


def window(page):
    """Return first row, first column, rows and columns that are shown, as the page has them."""
    text = page.locator(".where").inner_text()
    if whole := re.fullmatch(r"all (\d+) rows, all (\d+) columns", text):
        return 0, 0, int(whole[1]), int(whole[2])
    top, bottom, _, left, right, _ = map(int, PART.fullmatch(text).groups())
    return top, left, bottom - top + 1, right - left + 1


def assert_window_is_true(page, maps):
    """Hold colours and labels against the part that the page says it shows."""
    top, left, rows, columns = window(page)
    part = np.s_[top : top + rows, left : left + columns]
    shown = pixels(page.locator(".cells canvas"))
    assert (shown == weight_pixels(maps.weights[maps.selected][part], maps.visible[part])).all()
    for selector, first, count, labels in (
        (".labels.rows", top, rows, maps.queries),
        (".labels.columns", left, columns, maps.keys),
    ):
        places = page.locator(f"{selector} .label:not(.spare)").evaluate_all(
            "labels => labels.map(l => [l.firstChild.textContent, Number(l.style"
            ".getPropertyValue('--at'))])"
        )
        assert all(0 <= at < count and text == labels[first + at].text for text, at in places)


def test_a_zoom_by_keyboard_is_told_where_it_rests_and_survives_a_reload(show, vast):
    with show("maps", "vast", height=900) as page:
        page.locator(".cells").focus()
        press(page, *["ArrowDown"] * 40, "End", *["ArrowLeft"] * 30, "Enter")
        top, left, rows, columns = part = window(page)
        assert top < 40 < top + rows < 512 and left < 469 < left + columns
        expect(page.locator(".live")).to_contain_text(page.locator(".where").inner_text())
        press(page, *["ArrowDown"] * (rows + 3))
        # The window follows just so far that the cell is its last row.
        row = 40 + rows + 3
        assert window(page) == (row - rows + 1, *part[1:])
        assert_window_is_true(page, vast)
        part = window(page)
        named = dict(zip(("row", "column", "rows", "columns"), part, strict=True))
        expect_heard(page, "zoom", named)
        page.reload()
        page.locator(".maps[data-drawn]").wait_for()
        assert window(page) == part
        page.get_by_role("button", name="Show all").click()
        expect_heard(page, "zoom", None)
        assert window(page) == (0, 0, 512, 500)


def test_elements_that_come_and_go_above_leave_a_zoomed_map_as_it_is(new_page, serve):
    page = new_page()
    page.goto(f"{serve(APPS)}/?app=captions")
    page.locator(".maps[data-drawn]").wait_for()
    page.wait_for_timeout(500)
    page.locator(".maps .cells").focus()
    press(page, "ArrowDown", "ArrowDown", "Enter", "PageDown")
    part = page.locator(".maps .where").inner_text()
    assert part.startswith("rows ")
    page.locator(".maps").evaluate("maps => { window.seen = maps; }")
    for visible in (True, False):
        page.get_by_text("caption", exact=True).click()
        expect(page.get_by_text("It comes above the maps.")).to_be_visible(visible=visible)
        page.wait_for_timeout(300)
        assert page.locator(".maps").evaluate("maps => maps === window.seen")
        assert page.locator(".maps .where").inner_text() == part
    page.close()


def test_chinese_beside_a_map_is_not_turned_on_its_head(show):
    """Without this each sign would stand upright in a column, and the column is turned around."""
    with show("maps", "known") as page:
        turned = page.locator(".maps .axis.down").first.evaluate(
            "axis => [getComputedStyle(axis).textOrientation, getComputedStyle(axis).transform]"
        )
    assert turned == ["sideways", "matrix(-1, 0, 0, -1, 0, 0)"]
