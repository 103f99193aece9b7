"""The matrices in a real browser: what is drawn, read, marked, sent and saved."""

import pytest
from playwright.sync_api import expect

from tests.browser.apps import matrices_cases
from tests.browser.component import (
    choose,
    expect_heard,
    hover_cell,
    matrix_pixels,
    panel_of,
    pixels,
    press,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_cells_are_read_and_chosen_with_the_keyboard_and_the_focus_stays(show):
    with show("matrices", "known") as page:
        cells = panel_of(page, 1).locator(".cells")
        cells.focus()
        press(page, "ArrowDown")
        expect(page.locator(".live")).to_have_text("chat → the 0.0250")
        press(page, "ArrowUp", "End")
        expect(page.locator(".live")).to_have_text("le → here −∞: hidden by the mask")
        expect(cells).not_to_have_css("outline-style", "none")
        press(page, "Enter")
        expect_heard(page, "pick", {"panel": 1, "row": 0, "column": 3})
        expect(cells).to_be_focused()
        press(page, "Escape")
        expect(page.locator(".tooltip")).to_be_hidden()


def test_other_values_are_drawn_in_place_under_the_same_cursor(show):
    first = matrices_cases.known().panels[0]
    with show("matrices", "known", "&choose=1") as page:
        canvas = panel_of(page).locator("canvas.colours")
        canvas.evaluate("canvas => { window.seen = canvas; }")
        before = [int(panel_of(page, i).get_attribute("data-drawn")) for i in range(2)]
        hover_cell(page, 0, 1)
        page.get_by_role("radio", name="flipped", exact=True).evaluate("radio => radio.click()")
        expect(page.locator(".tooltip .line").first).to_have_text("le → cat −0.400")
        assert canvas.evaluate("canvas => canvas === window.seen")
        assert (pixels(canvas) == matrix_pixels(first)[::-1, ::-1]).all()
        after = [int(panel_of(page, i).get_attribute("data-drawn")) for i in range(2)]
        assert after == [before[0] + 1, before[1]]
        choose(page, "known")
        expect(panel_of(page)).to_have_attribute("data-drawn", str(after[0] + 1))
        assert (pixels(canvas) == matrix_pixels(first)).all()


def test_panels_of_the_same_words_are_zoomed_and_moved_together_with_keys(show):
    def window(panel):
        return panel_of(page, panel).locator(".where").inner_text()

    whole = "all 512 rows, all 500 columns"
    with show("matrices", "vast", "&quiet=pick") as page:
        panel_of(page, 1).locator(".cells").focus()
        press(page, *["ArrowDown"] * 30, *["ArrowRight"] * 25, "Enter")
        zoomed = window(1)
        assert window(0) == zoomed != whole
        expect(page.locator(".live")).to_contain_text(zoomed)
        press(page, "PageDown", "Shift+ArrowLeft", "-")
        assert window(0) == window(1) not in (zoomed, whole)
        press(page, "Escape", "Escape")
        assert window(0) == window(1) == whole
        panel_of(page, 0).locator(".cells").dblclick()
        assert window(0) == window(1) != whole
