"""The matrices in a real browser: what is drawn, read, marked, sent and saved."""

from itertools import pairwise

import numpy as np
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

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("case", ["known", "large"])
def test_every_cell_has_the_colour_of_its_value_and_a_hidden_one_the_hatch(show, case):
    panels = matrices_cases.CASES[case]().panels
    with show("matrices", case) as page:
        canvases = [panel_of(page, i).locator("canvas.colours") for i in range(len(panels))]
        for canvas, matrix in zip(canvases, panels, strict=True):
            assert (pixels(canvas) == matrix_pixels(matrix)).all()
        hatch = canvases[0].evaluate("c => getComputedStyle(c).backgroundImage")
    assert "repeating-linear-gradient" in hatch


def test_words_stand_inside_their_cells_and_whole_in_the_tooltip(show):
    with show("matrices", "lens") as page:
        expect(hover_cell(page, 0, 3)).to_have_text("0 → n't 0.0732")
        expect(page.locator(".tooltip .line").last).to_have_text("Straßenbahnhaltestelle")
        words = pixels(panel_of(page).locator("canvas.words"))
    for row, column in np.ndindex(6, 7):
        assert words[24 * row : 24 * row + 24, 96 * column : 96 * column + 96, 3].any()
    # Those of hidden cells can be read on the hatch: they have the ink of all texts.
    hidden = words[24:48][words[24:48, :, 3] > 128][:, :3].astype(int)
    assert len(hidden)
    assert hidden.max() < 70


def test_panels_stand_side_by_side_in_line_and_below_each_other_where_narrow(show):
    def corners(page):
        return [panel_of(page, i).locator(".cells").bounding_box() for i in range(2)]

    with show("matrices", "sentence", width=900) as page:
        left, right = corners(page)
        assert (left["y"], left["height"]) == (right["y"], right["height"])
        rows = panel_of(page).evaluate(
            """panel => [...panel.querySelectorAll('.rows .label')].map(label => {
                const { top, bottom } = label.getBoundingClientRect();
                return [top, bottom];
            })"""
        )
        assert all(top >= bottom - 1 for (_, bottom), (top, _) in pairwise(rows))
        drawn = page.locator(".matrices").get_attribute("data-drawn")
        page.set_viewport_size({"width": 500, "height": 800})
        expect(page.locator(".matrices")).not_to_have_attribute("data-drawn", drawn)
        upper, lower = corners(page)
        assert lower["y"] > upper["y"] + upper["height"]


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


def test_a_click_tells_python_and_the_selected_cell_has_a_frame(show):
    with show("matrices", "known") as page:
        expect(page.locator(".panels .chosen:visible")).to_have_count(0)
        drawn = panel_of(page).get_attribute("data-drawn")
        hover_cell(page, 2, 1, click=True)
        expect_heard(page, "pick", {"panel": 0, "row": 2, "column": 1})
        frame = panel_of(page).locator(".chosen")
        expect(frame).to_have_attribute("style", "--row: 2; --column: 1;")
        assert panel_of(page).get_attribute("data-drawn") == drawn


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
