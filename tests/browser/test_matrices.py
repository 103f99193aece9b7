"""The matrices in a real browser: what is drawn and where."""

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
    hover_cell,
    opened_matrices,
    panel_of,
    saved,
    written,
)
from tests.browser.canvas import pixels
from viz import theme

pytestmark = pytest.mark.browser


@pytest.fixture
def show(kept_pages):
    return partial(opened_matrices, kept_pages)


@pytest.mark.parametrize("case", ["known", "sentence", "lens", "odd", "single", "many", "large"])
def test_every_cell_has_the_colour_of_its_value(show, case):
    panels = matrices_cases.CASES[case]().panels
    with show(case) as page:
        shown = [pixels(panel_of(page, i).locator("canvas.colours")) for i in range(len(panels))]
    for pixel, matrix in zip(shown, panels, strict=True):
        assert (pixel == expected_pixels(matrix)).all()


def test_zero_is_grey_and_beyond_the_limit_the_colour_is_that_of_the_limit(show):
    with show("known") as page:
        shown = pixels(panel_of(page).locator("canvas.colours"))[..., :3]
    assert tuple(shown[0, 2]) == theme.DIVERGING[2]
    assert tuple(shown[1, 2]) == theme.DIVERGING[-1]
    assert tuple(shown[1, 3]) == theme.DIVERGING[0]


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


def test_scales_with_the_same_name_say_whose_they_are(show):
    long = matrices_cases.limits().panels[2].title
    with show("limits") as page:
        names = page.locator(".legends .name")
        expect(names).to_have_count(2)
        expect(names.nth(0)).to_have_text("value: Before, After")
        assert names.nth(0).get_attribute("title") is None
        assert re.fullmatch(r"value: With the norm\b.*…\w*unte", names.nth(1).inner_text())
        expect(names.nth(1)).to_have_attribute("title", f"value: {long}")
    with show("sentence") as page:
        assert page.locator(".legends .name[title]").count() == 0


def test_the_picture_of_a_matrix_has_a_name_and_a_size(show):
    with show("known") as page:
        picture = page.get_by_role("img", name="Signed. 3 rows, 4 columns")
        expect(picture).to_have_count(1)
        assert picture.evaluate("node => node.tagName") == "CANVAS"


def test_many_rows_of_numbers_leave_room_for_the_legend(show):
    def sizes(page):
        boxes = [page.locator(each).bounding_box() for each in (".panels .cells", ".legends")]
        return boxes[0]["height"], boxes[1]["y"] + boxes[1]["height"] - boxes[0]["y"]

    with show("positions") as page:
        cells, below = sizes(page)
        assert cells <= 0.46 * 800
        assert below < 800 - 320
    with show("positions", viewport={"width": 1280, "height": 1200}) as page:
        assert cells < sizes(page)[0] <= 0.46 * 1200
    with show("large") as page:
        assert sizes(page)[0] == 512


def test_too_many_values_are_pooled_and_it_says_so(show):
    with show("large", viewport={"width": 360, "height": 800}) as page:
        note = panel_of(page).locator(".note.pooled").inner_text()
        shown = pixels(panel_of(page).locator("canvas.colours"))[..., :3]
        pool = int(re.search(r"of (\d) × \1 values, the one farthest from 0", note)[1])
        assert shown.shape[0] == -(-512 // pool)
        assert tuple(shown[100 // pool, 300 // pool]) == theme.DIVERGING[0]


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


@pytest.mark.parametrize("case", [*matrices_cases.SHORT, "leftwards"])
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


def test_a_fine_screen_gets_whole_pixels_per_cell(show):
    with show("positions", device_scale_factor=1.5) as page:
        box = page.locator(".panels .cells").bounding_box()
    assert box["width"] * 1.5 / 128 == pytest.approx(round(box["width"] * 1.5 / 128), abs=1e-3)


def test_drawing_leaves_a_mark_for_whoever_measures(show):
    with show("known") as page:
        assert page.evaluate("performance.getEntriesByName('matrices-drawn').length") == 1


@pytest.mark.parametrize("width", [1280, 900])
def test_few_words_beside_many_numbers_are_all_labelled(show, width):
    panels = matrices_cases.wide().panels
    with show("wide", viewport={"width": width, "height": 800}) as page:
        for panel, which, axis in ((0, "rows", panels[0].rows), (1, "columns", panels[1].columns)):
            labels = panel_of(page, panel).locator(f".labels.{which} .token")
            assert labels.all_text_contents() == [label.text for label in axis.labels]
            expect(panel_of(page, panel).locator(".note.pooled")).to_be_hidden()
        wide, high = (cell_sizes(page, panel) for panel in range(2))
        assert wide[1] == high[0] - 8 == 16
        assert max(wide[0], high[1]) < 12
        texts = written(ElementTree.parse(saved(page, 0, "svg")).getroot())
    assert {label.text for label in panels[0].rows.labels} <= set(texts)


@pytest.mark.parametrize("case", ["sentence", "positions", "long"])
def test_cells_stay_square_where_both_axes_are_about_as_long(show, case):
    with show(case) as page:
        width, height = cell_sizes(page, 0)
    assert width == height


def test_it_says_how_many_labels_are_left_out(show):
    with show("long") as page:
        said = panel_of(page).locator(".note.pooled").inner_text()
        shown = panel_of(page).locator(".labels.rows .label").count()
        texts = written(ElementTree.parse(saved(page, 0, "svg")).getroot())
    assert said == "labels: every 2nd"
    assert shown == 31
    assert said in texts
