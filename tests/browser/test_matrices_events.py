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


def test_a_label_is_marked_everywhere_words_on_both_axes(show):
    with show("sentence") as page:
        panel_of(page).locator(".labels.rows").get_by_text("animal", exact=True).hover()
        assert marked(page, ".labels") == ["animal"] * 4
        expect(page.locator(".tooltip")).to_be_hidden()


def test_linked_positions_are_marked_together_whatever_their_labels(show):
    with show("linked") as page:
        panel_of(page, 1).locator(".labels.rows").get_by_text("wide", exact=True).hover()
        assert marked(page, ".labels.rows") == ["tired", "wide", "tired | wide"]
        panel_of(page, 1).locator(".labels.rows").get_by_text("very", exact=True).hover()
        assert marked(page, ".labels") == ["very", "very"]
        hover_cell(page, 2, 3, panel=1)
        assert marked(page, ".labels.rows") == ["tired", "wide", "tired | wide"]
        assert marked(page, ".labels.columns") == [".", ".", "."]


def test_numbers_are_marked_on_their_own_axis_only(show):
    with show("many") as page:
        panel_of(page).locator(".labels.rows").get_by_text("3", exact=True).hover()
        assert marked(page, ".labels.rows") == ["3", "3"]
        assert marked(page, ".labels.columns") == []


def test_a_number_left_out_for_room_appears_when_its_row_is_pointed_at(show):
    with show("large") as page:
        expect(page.locator(".panels .labels.rows").get_by_text("101", exact=True)).to_have_count(0)
        expect(hover_cell(page, 101, 301)).to_have_text("101 → 301 0.500")
        assert marked(page, ".labels.rows") == ["101"]


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


def test_the_first_cell_is_said_when_the_keyboard_comes_and_left_when_it_goes(show):
    with show("known") as page:
        panel_of(page).locator(".csv").focus()
        page.keyboard.press("Tab")
        expect(panel_of(page, 1).locator(".cells")).to_be_focused()
        expect(page.locator(".live")).to_have_text("le → the 0.250")
        expect(panel_of(page, 1).locator(".cursor")).to_be_visible()
        page.keyboard.press("Tab")
        expect(panel_of(page, 1).locator(".cursor")).to_be_hidden()
        expect(page.locator(".tooltip")).to_be_hidden()


def test_other_values_keep_the_focus_and_the_cell_of_the_keyboard(show):
    with show("known") as page:
        panel_of(page).locator(".cells").focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator(".tooltip .line").first).to_have_text("le → cat −0.500")
        page.get_by_role("button", name="change").evaluate("button => button.click()")
        expect(page.locator(".tooltip .line").first).to_have_text("le → cat −0.400")
        expect(panel_of(page).locator(".cells")).to_be_focused()


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
