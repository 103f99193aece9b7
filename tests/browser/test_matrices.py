"""The matrices in a real browser: what is drawn, said, sent and saved."""

import base64
import csv
import io
import re
from contextlib import contextmanager
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.apps import matrices_cases
from tests.browser.canvas import pixels
from tests.browser.conftest import settled
from viz import theme

APP = "tests/browser/apps/matrices_app.py"
pytestmark = pytest.mark.browser


@pytest.fixture
def show(new_page, serve):
    """Open the component on one case; nothing may fail in the page meanwhile."""

    @contextmanager
    def opened(case, query="", **options):
        page = new_page(**options)
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{serve(APP)}/?case={case}{query}")
        page.locator(".matrices[data-drawn]").wait_for()
        settled(page)
        yield page
        page.close()
        assert errors == []

    return opened


def panel_of(page, index=0):
    return page.locator(".panels .panel").nth(index)


def expected_pixels(matrix):
    shares = matrix.values.astype(np.float64) / matrix.limit
    if matrix.scale == "signed":
        numbers = 127 + np.floor(127 * np.clip(shares, -1, 1) + 0.5).astype(int)
        colours = theme.diverging_table()[numbers]
    else:
        numbers = np.floor(255 * np.clip(shares, 0, 1) + 0.5).astype(int)
        colours = theme.scale_table()[numbers]
    visible = np.ones(shares.shape, bool) if matrix.visible is None else matrix.visible
    opacity = np.where(visible, 255, 0).astype(np.uint8)[..., None]
    return np.concatenate([np.where(visible[..., None], colours, 0), opacity], axis=-1)


def hover_cell(page, row, column, panel=0, click=False):
    box = panel_of(page, panel).locator(".cells").bounding_box()
    cell = panel_of(page, panel).evaluate(
        "p => ['--cell-width', '--cell-height'].map(n => parseFloat(p.style.getPropertyValue(n)))"
    )
    at = box["x"] + (column + 0.5) * cell[0], box["y"] + (row + 0.5) * cell[1]
    (page.mouse.click if click else page.mouse.move)(*at)
    return page.locator(".tooltip .line").first


def marked(page, selector):
    return [node.text_content() for node in page.locator(f".panels {selector} .marked").all()]


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


def test_a_hidden_cell_shows_the_hatch(show):
    with show("known") as page:
        canvas = panel_of(page, 1).locator("canvas.colours")
        assert pixels(canvas)[0, 3].tolist() == [0, 0, 0, 0]
        hatch = canvas.evaluate("c => getComputedStyle(c).backgroundImage")
        expect(page.locator(".legends .hidden-name")).to_have_text("−∞: hidden by the mask")
    assert "repeating-linear-gradient" in hatch


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


def test_labels_that_differ_are_underlined_on_the_page_and_in_a_drawing(show):
    panel = matrices_cases.linked().panels[1]
    with show("linked") as page:
        labels = page.locator(".panels .labels.rows .differs")
        assert labels.all_inner_texts() == ["tired", "very", "wide", "tired | wide"]
        document = ElementTree.parse(saved(page, 1, "svg")).getroot()
    lines = [rect for rect in document.iter(f"{SVG}rect") if rect.get("height") == "2"]
    assert len(lines) == len(panel.rows.differs) + len(panel.columns.differs)
    assert "Look." in [text.text for text in document.iter(f"{SVG}text")]


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


def test_a_table_has_all_digits_and_leaves_hidden_cells_empty(show):
    with show("known") as page:
        with page.expect_download() as download:
            panel_of(page, 1).get_by_role("button", name="Save as a table").click()
        text = download.value.path().read_text(encoding="utf-8")
    matrix = matrices_cases.known().panels[1]
    head, *rows = csv.reader(io.StringIO(text))
    assert download.value.suggested_filename == "hidden-quoted.csv"
    assert head == ["", "the", "cat", "sleeps", "here"]
    assert [row[0] for row in rows] == ["le", "chat", "dort"]
    assert rows[0][4] == ""
    assert rows[1][1] == "0.025"
    read = np.array([[np.float32(x or 0) for x in row[1:]] for row in rows])
    assert (read == matrix.values).all()


def test_odd_words_survive_in_a_table_and_none_is_a_formula_there(show):
    with show("odd") as page:
        with page.expect_download() as download:
            panel_of(page).locator(".csv").click()
        text = download.value.path().read_text(encoding="utf-8")
    head, *rows = csv.reader(io.StringIO(text))
    marked = tuple(f"'{word}" if word.startswith("=") else word for word in matrices_cases.ODD)
    assert tuple(head[1:]) == marked != matrices_cases.ODD
    assert tuple(row[0] for row in rows) == marked


def test_a_negative_number_in_a_table_stays_a_number(show):
    matrix = matrices_cases.known().panels[0]
    with show("known") as page:
        text = saved(page, 0, "csv").read_text(encoding="utf-8")
    _, *rows = csv.reader(io.StringIO(text))
    assert (np.array([row[1:] for row in rows], np.float32) == matrix.values).all()


def saved_picture(page):
    """Save the first panel as a picture and return its name and its pixels."""
    with page.expect_download() as download:
        panel_of(page).get_by_role("button", name="Save as a picture").click()
    saved = Image.open(download.value.path()).convert("RGBA")
    return download.value.suggested_filename, np.asarray(saved)


def on_white(rgb, opacity=0.19):
    return 255 - opacity * (255 - np.array(rgb))


def tinted(picture, side):
    return np.abs(picture[..., :3] - on_white(side)).max(-1) <= 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_picture_is_white_with_every_colour_and_tinted_words_whatever_the_theme(show, scheme):
    with show("known", color_scheme=scheme) as page:
        name, seen = saved_picture(page)
    assert name == "signed.png"
    for side in (theme.SOURCE, theme.TARGET):
        rows, columns = np.nonzero(tinted(seen, side))
        assert len(rows) > 1500
        # Rows of words stand left of the cells, columns above them.
        assert (np.ptp(rows) > np.ptp(columns)) == (side == theme.TARGET)
    assert seen[0, 0].tolist() == seen[-1, -1].tolist() == [255, 255, 255, 255]
    found = {tuple(pixel) for pixel in seen.reshape(-1, 4)}
    wanted = expected_pixels(matrices_cases.known().panels[0]).reshape(-1, 4)
    assert {tuple(pixel) for pixel in wanted} <= found
    assert (seen[..., :3].max(-1) < 60).any()


def test_numbers_have_no_tint_of_a_side_in_a_picture(show):
    with show("positions") as page:
        _, seen = saved_picture(page)
    assert not any(tinted(seen, side).any() for side in (theme.SOURCE, theme.TARGET))


SVG = "{http://www.w3.org/2000/svg}"


def saved(page, panel, name):
    with page.expect_download() as download:
        panel_of(page, panel).locator(f".{name}").click()
    return download.value.path()


def placed(node, x=0.0, y=0.0):
    """Yield every element below with where its own 0, 0 is; what is turned is left out."""
    moved = re.fullmatch(r"translate\((\S+) (\S+)\)", node.get("transform", "translate(0 0)"))
    if moved is None:
        return
    x, y = x + float(moved[1]), y + float(moved[2])
    yield node, x, y
    for child in node:
        yield from placed(child, x, y)


def drawn_cells(document):
    """Return the middle of every cell that is drawn, and its colour."""
    (cells,) = [each for each in placed(document) if each[0].get("class") == "cells"]
    _, left, top = cells
    middles, colours = [], []
    for cell in cells[0].iterfind(f"{SVG}rect"):
        x, y, width, height = (float(cell.get(name)) for name in ("x", "y", "width", "height"))
        middles.append((left + x + width / 2, top + y + height / 2))
        colours.append(tuple(bytes.fromhex(cell.get("fill").removeprefix("#"))))
    return middles, colours


@pytest.mark.parametrize(
    ("case", "panel"), [("known", 1), ("sentence", 0), ("odd", 0), ("many", 3)]
)
def test_a_drawing_holds_the_colour_of_every_cell_and_the_text_of_every_label(show, case, panel):
    matrix = matrices_cases.CASES[case]().panels[panel]
    with show(case, color_scheme="dark") as page:
        document = ElementTree.parse(saved(page, panel, "svg")).getroot()
        picture = np.asarray(Image.open(saved(page, panel, "png")).convert("RGBA"))
    middles, colours = drawn_cells(document)
    expected = expected_pixels(matrix)
    assert colours == [tuple(pixel[:3]) for pixel in expected.reshape(-1, 4) if pixel[3]]
    texts = {"".join(text.itertext()) for text in document.iter(f"{SVG}text")}
    labels = {label.text for axis in (matrix.rows, matrix.columns) for label in axis.labels}
    assert {matrix.rows.name, matrix.columns.name} <= texts
    assert labels - texts <= {matrices_cases.LONG}
    assert document.find(f"{SVG}title").text == matrix.title
    # The picture is the drawing, twice as fine.
    at = (2 * np.array(middles)).astype(int)
    if not matrix.texts:
        assert [tuple(pixel[:3]) for pixel in picture[at[:, 1], at[:, 0]]] == colours
    assert picture.shape[:2] == (
        2 * float(document.get("height")),
        2 * float(document.get("width")),
    )


def test_a_drawing_of_very_many_cells_holds_them_as_one_picture(show):
    matrix = matrices_cases.positions().panels[0]
    with show("positions") as page:
        document = ElementTree.parse(saved(page, 0, "svg")).getroot()
    (image,) = document.iter(f"{SVG}image")
    data = base64.b64decode(image.get("href").removeprefix("data:image/png;base64,"))
    assert (np.asarray(Image.open(io.BytesIO(data))) == expected_pixels(matrix)).all()


def test_a_drawing_names_fonts_that_every_computer_has(show):
    with show("lens") as page:
        document = ElementTree.parse(saved(page, 0, "svg")).getroot()
    fonts = {node.get("font-family") for node in document.iter() if node.get("font-family")}
    assert {font.split(",")[-1].strip() for font in fonts} == {"sans-serif", "monospace"}


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
        written = pixels(panel_of(page).locator("canvas.words"))[..., 3]
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


@pytest.mark.parametrize("case", list(matrices_cases.CASES))
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


def written(document):
    return ["".join(text.itertext()) for text in document.iter(f"{SVG}text")]


def has_ink(page, row, column):
    words = pixels(panel_of(page).locator("canvas.words"))[..., 3]
    height, width = words.shape[0] // 3, words.shape[1] // 20
    return words[height * row : height * (row + 1), width * column : width * (column + 1)].any()


def test_a_picture_holds_every_number_that_stands_on_the_screen(show):
    texts = np.array(matrices_cases.numbers().panels[0].texts)
    with show("numbers") as page:
        assert all(has_ink(page, row, column) for row, column in np.ndindex(3, 20))
        document = ElementTree.parse(saved(page, 0, "svg")).getroot()
    found = [text for text in written(document) if text in matrices_cases.NUMBERS]
    assert found == texts.ravel().tolist()


def test_a_number_without_room_is_left_out_and_never_cut(show):
    texts = np.array(matrices_cases.numbers().panels[0].texts)
    with show("numbers", viewport={"width": 1040, "height": 800}) as page:
        for row, column in np.ndindex(3, 20):
            assert has_ink(page, row, column) == (texts[row, column] != "1.01e−06")
        expect(hover_cell(page, 0, 2)).to_have_text("masked → word2 0.0339")
        expect(page.locator(".tooltip .line").last).to_have_text("1.01e−06")
        document = ElementTree.parse(saved(page, 0, "svg")).getroot()
    found = [text for text in written(document) if re.search(r"\d", text) and "word" not in text]
    assert set(found) <= {*matrices_cases.NUMBERS, "0", "0.5", "1"}


def cell_sizes(page, panel):
    return panel_of(page, panel).evaluate(
        "p => ['--cell-width', '--cell-height'].map(n => parseFloat(p.style.getPropertyValue(n)))"
    )


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
