"""The matrices in a real browser: what is pointed at, said, marked and sent."""

from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.apps import matrices_cases
from tests.browser.apps.matrices_page import (
    expected_pixels,
    hover_cell,
    marked,
    opened_matrices,
    panel_of,
)
from tests.browser.canvas import pixels

pytestmark = pytest.mark.browser


@pytest.fixture
def show(kept_pages):
    return partial(opened_matrices, kept_pages)


def test_the_pointer_shows_three_digits_with_a_true_minus(show):
    with show("known") as page:
        expect(hover_cell(page, 0, 1)).to_have_text("le → cat −0.500")
        expect(hover_cell(page, 0, 2)).to_have_text("le → sleeps 0")
        expect(hover_cell(page, 1, 3)).to_have_text("chat → here −3.00")
        expect(hover_cell(page, 2, 1)).to_have_text("dort → cat 0.0313")
        expect(hover_cell(page, 0, 3, panel=1)).to_have_text("le → here −∞: hidden by the mask")
        page.mouse.move(5, 5)
        expect(page.locator(".tooltip")).to_be_hidden()
        assert marked(page, "") == []


def test_a_cell_is_marked_in_every_panel_with_the_same_labels(show):
    with show("known") as page:
        hover_cell(page, 1, 2)
        for panel in range(2):
            expect(panel_of(page, panel).locator(".band.row")).to_be_visible()
            expect(panel_of(page, panel).locator(".band.column")).to_be_visible()
        assert marked(page, ".labels.rows") == ["chat", "chat"]
        assert marked(page, ".labels.columns") == ["sleeps", "sleeps"]
        expect(page.locator(".panels .cursor:visible")).to_have_count(1)


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


def test_a_click_is_kept_from_a_page_that_does_not_ask_for_it(show):
    with show("known", "&quiet=1") as page:
        hover_cell(page, 2, 1, click=True)
        page.keyboard.press("Enter")
        page.get_by_role("button", name="change").click()
        expect(page.get_by_text("runs: 2")).to_be_visible()


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
