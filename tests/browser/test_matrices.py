"""The matrices in a real browser: what is drawn and where."""

import re
from functools import partial
from itertools import pairwise

import numpy as np
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
from viz import theme

pytestmark = pytest.mark.browser


@pytest.fixture
def show(kept_pages):
    return partial(opened_matrices, kept_pages)


@pytest.mark.parametrize("case", ["known", "large"])
def test_every_cell_has_the_colour_of_its_value(show, case):
    panels = matrices_cases.CASES[case]().panels
    with show(case) as page:
        shown = [pixels(panel_of(page, i).locator("canvas.colours")) for i in range(len(panels))]
    for pixel, matrix in zip(shown, panels, strict=True):
        assert (pixel == expected_pixels(matrix)).all()


def test_a_hidden_cell_shows_the_hatch(show):
    with show("known") as page:
        canvas = panel_of(page, 1).locator("canvas.colours")
        assert pixels(canvas)[0, 3].tolist() == [0, 0, 0, 0]
        hatch = canvas.evaluate("c => getComputedStyle(c).backgroundImage")
        expect(page.locator(".legends .hidden-name")).to_have_text("−∞: hidden by the mask")
    assert "repeating-linear-gradient" in hatch


def test_each_scale_has_one_legend_with_its_ends_and_its_middle(show):
    with show("sentence") as page:
        ticks = [legend.all_inner_texts() for legend in page.locator(".legends .ticks").all()]
        names = page.locator(".legends .name").all_inner_texts()
        bars = [pixels(bar)[0, :, :3] for bar in page.locator(".legends canvas").all()]
    assert [tick[0].split() for tick in ticks] == [["−4", "0", "4"], ["0", "0.5", "1"]]
    assert names == ["score", "weight"]
    assert (bars[0] == theme.diverging_table()).all()
    assert (bars[1] == theme.scale_table()).all()


def test_words_stand_inside_their_cells_and_whole_in_the_tooltip(show):
    with show("lens") as page:
        box = panel_of(page).locator(".cells").bounding_box()
        assert (box["width"] / 7, box["height"] / 6) == (96, 24)
        expect(hover_cell(page, 0, 3)).to_have_text("0 → n't 0.0732")
        expect(page.locator(".tooltip .line").last).to_have_text("Straßenbahnhaltestelle")
        words = pixels(panel_of(page).locator("canvas.words"))
        written = words[..., 3]
    # Those of hidden cells can be read on the hatch: they have the ink of all texts.
    hidden = words[24:48][words[24:48, :, 3] > 128][:, :3].astype(int)
    assert len(hidden)
    assert hidden.max() < 70
    for row, column in np.ndindex(6, 7):
        assert written[24 * row : 24 * row + 24, 96 * column : 96 * column + 96].any()


def test_odd_words_are_plain_text(show):
    with show("odd") as page:
        labels = panel_of(page).locator(".labels.rows .token")
        shown = [label.text_content() for label in labels.all()]
        short = labels.nth(2)
        expect(short).to_have_attribute("title", matrices_cases.LONG)
        assert re.fullmatch(r"Dona\w*…\w*unte", short.text_content())
        expect(hover_cell(page, 4, 1)).to_have_text("{row} → <b> 0.143")
        expect(panel_of(page).locator("figcaption")).to_have_text("</title><b>Odd</b>")
        assert page.locator(".matrices figcaption b, .matrices .label b").count() == 0
    assert shown[:2] + shown[3:] == [*matrices_cases.ODD[:2], *matrices_cases.ODD[3:]]


@pytest.mark.parametrize("case", ["sentence", "numbers"])
def test_in_a_narrow_window_labels_stay_apart_and_nothing_scrolls_sideways(show, case):
    with show(case, viewport={"width": 900, "height": 800}) as page:
        assert_labels_stay_apart(page)
        assert_nothing_scrolls_sideways(page)
        drawn = page.locator(".matrices").get_attribute("data-drawn")
        page.set_viewport_size({"width": 360, "height": 800})
        expect(page.locator(".matrices")).not_to_have_attribute("data-drawn", drawn)
        assert_nothing_scrolls_sideways(page)


def assert_labels_stay_apart(page):
    rows = panel_of(page).evaluate(
        """panel => [...panel.querySelectorAll('.rows .label')].map(label => {
            const { top, bottom } = label.getBoundingClientRect();
            return [top, bottom];
        })"""
    )
    assert all(top >= bottom - 1 for (_, bottom), (top, _) in pairwise(rows))


def assert_nothing_scrolls_sideways(page):
    # Waited for: another width comes to the page first and then to what stands in it.
    page.wait_for_function(
        """root => {
            const end = (node) => node.getBoundingClientRect().right;
            const parts = [...root.querySelectorAll(".panels .plot, .panels .cells, .legend")];
            const pages = [document.documentElement, document.querySelector(".stMain")];
            return parts.every((part) => end(part) <= end(root) + 1)
                && pages.every((page) => page.scrollWidth <= page.clientWidth);
        }""",
        arg=page.locator(".matrices").element_handle(),
    )


def test_panels_stand_side_by_side_with_cells_in_line_and_wrap_when_narrow(show):
    def corners(page):
        return [panel_of(page, i).locator(".cells").bounding_box() for i in range(2)]

    with show("sentence", viewport={"width": 900, "height": 800}) as page:
        left, right = corners(page)
        assert left["y"] == right["y"]
        assert left["height"] == right["height"]
        page.locator(".matrices").evaluate("m => { window.seen = m.querySelector('.cells'); }")
        drawn = page.locator(".matrices").get_attribute("data-drawn")
        page.set_viewport_size({"width": 500, "height": 800})
        expect(page.locator(".matrices")).not_to_have_attribute("data-drawn", drawn)
        upper, lower = corners(page)
        assert lower["y"] > upper["y"] + upper["height"]
        assert panel_of(page).locator(".cells").evaluate("cells => cells === window.seen")
