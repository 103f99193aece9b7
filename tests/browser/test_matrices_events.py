"""The matrices in a real browser: what is pointed at, said, marked and sent."""

from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.apps import matrices_cases
from tests.browser.apps.matrices_page import (
    expected_pixels,
    hover_cell,
    opened_matrices,
    panel_of,
)
from tests.browser.canvas import pixels

pytestmark = pytest.mark.browser


@pytest.fixture
def show(kept_pages):
    return partial(opened_matrices, kept_pages)


def test_cells_can_be_read_and_chosen_with_the_keyboard(show):
    with show("known") as page:
        panel_of(page, 1).locator(".cells").focus()
        page.keyboard.press("ArrowDown")
        expect(page.locator(".live")).to_have_text("chat → the 0.0250")
        for key in ("ArrowUp", "End"):
            page.keyboard.press(key)
        expect(page.locator(".live")).to_have_text("le → here −∞: hidden by the mask")
        expect(panel_of(page, 1).locator(".cells")).not_to_have_css("outline-style", "none")
        page.keyboard.press("Enter")
        expect(page.get_by_text("picked: (1, 0, 3)")).to_be_visible()
        expect(panel_of(page, 1).locator(".cells")).to_be_focused()
        page.keyboard.press("Home")
        expect(page.locator(".live")).to_have_text("le → the 0.250")
        page.keyboard.press("Escape")
        expect(page.locator(".tooltip")).to_be_hidden()


def test_a_click_tells_python_and_what_python_selects_has_a_frame(show):
    with show("known") as page:
        expect(page.locator(".panels .chosen:visible")).to_have_count(0)
        drawn = panel_of(page).get_attribute("data-drawn")
        hover_cell(page, 2, 1, click=True)
        expect(page.get_by_text("picked: (0, 2, 1)")).to_be_visible()
        frame = panel_of(page).locator(".chosen")
        expect(frame).to_be_visible()
        assert frame.get_attribute("style") == "--row: 2; --column: 1;"
        assert panel_of(page).get_attribute("data-drawn") == drawn


def test_other_values_are_drawn_in_place_under_the_same_cursor(show):
    first = matrices_cases.known().panels[0]
    with show("known") as page:
        canvas = panel_of(page).locator("canvas.colours")
        canvas.evaluate("canvas => { window.seen = canvas; }")
        before = [int(panel_of(page, i).get_attribute("data-drawn")) for i in range(2)]
        hover_cell(page, 0, 1)
        page.get_by_role("button", name="change").evaluate("button => button.click()")
        expect(page.locator(".tooltip .line").first).to_have_text("le → cat −0.400")
        assert canvas.evaluate("canvas => canvas === window.seen")
        flipped = expected_pixels(first)[::-1, ::-1]
        assert (pixels(canvas) == flipped).all()
        after = [int(panel_of(page, i).get_attribute("data-drawn")) for i in range(2)]
    assert after == [before[0] + 1, before[1]]


def window(page, panel):
    """Return how what is shown of a panel is said."""
    return panel_of(page, panel).locator(".where").inner_text()


def test_panels_of_the_same_words_are_zoomed_and_moved_together_with_keys(show):
    whole = "all 512 rows, all 500 columns"
    with show("vast", "&quiet=1") as page:
        tooltip = page.locator(".tooltip")
        panel_of(page, 1).locator(".cells").focus()
        for key in (*["ArrowDown"] * 30, *["ArrowRight"] * 25, "Enter"):
            page.keyboard.press(key)
        zoomed = window(page, 1)
        assert window(page, 0) == zoomed != whole
        expect(page.locator(".live")).to_contain_text(zoomed)
        expect(tooltip).to_contain_text("row 30, column 25")
        for key in ("PageDown", "Shift+ArrowLeft", "-"):
            page.keyboard.press(key)
        assert window(page, 0) == window(page, 1) not in (zoomed, whole)
        page.keyboard.press("Escape")
        expect(tooltip).to_be_hidden()
        page.keyboard.press("Escape")
        assert window(page, 0) == window(page, 1) == whole
        panel_of(page, 0).locator(".cells").dblclick()
        assert window(page, 0) == window(page, 1) != whole
