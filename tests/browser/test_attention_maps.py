"""The attention maps in a real browser: what is drawn, said and sent."""

import re
from contextlib import contextmanager

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.apps import maps_cases
from tests.browser.canvas import pixels
from viz import theme

APP = "tests/browser/apps/maps_app.py"
pytestmark = pytest.mark.browser


@pytest.fixture
def show(new_page, serve):
    """Open the component on one case; nothing may fail in the page meanwhile."""

    @contextmanager
    def opened(case, **options):
        page = new_page(**options)
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{serve(APP)}/?case={case}")
        page.locator(".maps[data-drawn]").wait_for()
        yield page
        page.close()
        assert errors == []

    return opened


def hover_cell(page, row, column, maps):
    box = page.locator(".cells").bounding_box()
    rows, columns = maps.visible.shape
    page.mouse.move(
        box["x"] + (column + 0.5) * box["width"] / columns,
        box["y"] + (row + 0.5) * box["height"] / rows,
    )
    return page.locator(".tooltip")


def expected_pixels(weights, visible):
    colours = theme.scale_table()[np.rint(weights * 255).astype(int)]
    opacity = np.where(visible, 255, 0).astype(np.uint8)[..., None]
    return np.concatenate([np.where(visible[..., None], colours, 0), opacity], axis=-1)


def tile(page, layer, head):
    return page.get_by_role("button", name=f"layer {layer}, head {head}", exact=True)


def test_every_cell_has_the_colour_of_its_weight(show):
    maps = maps_cases.known()
    with show("known") as page:
        shown = pixels(page.locator(".cells canvas"))
    assert (shown == expected_pixels(maps.weights[1, 2], maps.visible)).all()


def test_a_hidden_cell_looks_unlike_a_cell_of_weight_zero(show):
    with show("known") as page:
        shown = pixels(page.locator(".cells canvas"))
        hatch = page.locator(".cells canvas").evaluate("c => getComputedStyle(c).backgroundImage")
    assert shown[0, 5].tolist() == [*theme.SEQUENTIAL[0], 255]
    assert shown[0, 6].tolist() == [0, 0, 0, 0]
    assert "repeating-linear-gradient" in hatch


def test_every_thumbnail_shows_its_head(show):
    maps = maps_cases.known()
    with show("known") as page:
        sheet = pixels(page.locator(".sheet canvas"))
        corner = page.locator(".sheet canvas").bounding_box()
        for layer, head in np.ndindex(2, 3):
            box = tile(page, layer, head).bounding_box()
            left, top = round(box["x"] - corner["x"]), round(box["y"] - corner["y"])
            for row, column in np.ndindex(5, 7):
                y = int(top + (row + 0.5) * box["height"] / 5)
                x = int(left + (column + 0.5) * box["width"] / 7)
                weight = maps.weights[layer, head, row : row + 1, column : column + 1]
                visible = maps.visible[row : row + 1, column : column + 1]
                assert (sheet[y, x] == expected_pixels(weight, visible)).all()


def test_the_pointer_shows_the_weight_in_three_digits(show):
    maps = maps_cases.known()
    with show("known") as page:
        tooltip = hover_cell(page, 3, 4, maps)
        expect(tooltip.locator(".line").first).to_have_text("dort → sleeps 0.973")
        expect(tooltip.locator(".line").last).to_have_text("fed dort, predicts là")
        for row, column in [(0, 0), (4, 3), (2, 1)]:
            weight = maps.weights[1, 2, row, column]
            expect(hover_cell(page, row, column, maps).locator("b")).to_have_text(f"{weight:#.3g}")
        expect(hover_cell(page, 0, 5, maps).locator("b")).to_have_text("0")
        expect(hover_cell(page, 0, 6, maps).locator("b")).to_have_text("hidden by the mask")


def test_a_click_on_a_thumbnail_shows_that_head_and_tells_python(show):
    maps = maps_cases.known()
    with show("known") as page:
        tile(page, 0, 1).click()
        # Drawn by the browser itself, before any answer can have come.
        shown = pixels(page.locator(".cells canvas"))
        assert (shown == expected_pixels(maps.weights[0, 1], maps.visible)).all()
        expect(page.locator(".map figcaption")).to_contain_text("Decoder layer 0, head 1:")
        expect(tile(page, 0, 1)).to_have_attribute("aria-pressed", "true")
        expect(tile(page, 1, 2)).to_have_attribute("aria-pressed", "false")
        expect(page.get_by_text("picks: 1, layer 0, head 1")).to_be_visible()
        expect(page.locator(".maps")).to_have_attribute("data-exact", "true")
        weight = maps.weights[0, 1, 2, 2]
        expect(hover_cell(page, 2, 2, maps).locator("b")).to_have_text(f"{weight:#.3g}")


@contextmanager
def offline(page):
    page.context.set_offline(True)
    try:
        yield
    finally:
        page.context.set_offline(False)


def test_numbers_of_a_head_not_yet_sent_whole_are_marked_as_rounded(show):
    maps = maps_cases.known()
    with show("known") as page, offline(page):
        page.evaluate("window.WebSocket.prototype.send = () => {}")
        tile(page, 0, 0).click()
        weight = f"≈ {round(maps.weights[0, 0, 1, 1] * 255) / 255:.2f}"
        expect(hover_cell(page, 1, 1, maps).locator("b")).to_have_text(weight)


def test_the_last_of_several_quick_clicks_wins(show):
    with show("sentence") as page:
        for head in range(4):
            tile(page, 0, head).click()
        expect(page.get_by_text("picks: 4, layer 0, head 3")).to_be_visible()
        expect(page.locator(".maps")).to_have_attribute("data-exact", "true")
        expect(page.locator(".map figcaption")).to_contain_text("layer 0, head 3")


def test_heads_can_be_chosen_with_the_keyboard(show):
    with show("known") as page:
        tile(page, 1, 2).focus()
        for key in ("ArrowUp", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Enter"):
            page.keyboard.press(key)
        expect(page.get_by_text("picks: 1, layer 0, head 0")).to_be_visible()
        expect(page.locator(".live")).to_contain_text("Decoder layer 0, head 0")


def test_cells_can_be_read_with_the_keyboard(show):
    with show("known") as page:
        tile(page, 1, 2).focus()
        page.keyboard.press("Tab")
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "End", "ArrowLeft", "ArrowLeft"):
            page.keyboard.press(key)
        said = "dort → sleeps 0.973. fed dort, predicts là"
        expect(page.locator(".live")).to_have_text(said)
        expect(page.locator(".cursor")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".tooltip")).to_be_hidden()


def marked(page, selector):
    nodes = page.locator(f"{selector} .marked").all()
    return [node.text_content() + "~" * ("soft" in node.get_attribute("class")) for node in nodes]


def test_a_cell_marks_both_words_and_the_word_predicted(show):
    with show("known") as page:
        hover_cell(page, 1, 3, maps_cases.known())
        assert marked(page, ".chips.source") == ["cat"]
        assert marked(page, ".chips.target") == ["le", "chat~"]
        assert marked(page, ".labels.rows") == ["le", "chat~"]
        assert marked(page, ".labels.columns") == ["cat"]


def test_a_chip_marks_its_row_its_column_and_where_it_is_predicted(show):
    with show("decoder") as page:
        page.locator(".chips.target").get_by_text("rue", exact=True).hover()
        assert marked(page, ".labels.columns") == ["rue"]
        assert marked(page, ".labels.rows") == ["rue~", "rue"]
        assert marked(page, ".chips.source") == []
        expect(page.locator(".band.row")).to_be_visible()
        page.locator(".chips.target").get_by_text("EOS", exact=True).hover()
        assert marked(page, ".labels.rows") == ["EOS~"]
        expect(page.locator(".band.row")).to_be_hidden()
        page.mouse.move(5, 5)
        assert marked(page, ".maps") == []


def test_an_axis_label_marks_its_chip(show):
    with show("sentence") as page:
        page.locator(".labels.rows").get_by_text("it", exact=True).hover()
        assert marked(page, ".chips.source") == ["it"]
        assert marked(page, ".labels.columns") == ["it"]


def test_pieces_of_one_word_touch_and_an_unknown_word_says_what_it_is(show):
    with show("decoder") as page:
        chips = page.locator(".chips.target .chip")
        boxes = {chip.text_content(): chip.bounding_box() for chip in chips.all()}
        unknown = page.locator(".chips.source .unknown")
        expect(unknown).to_have_text("weary")
        expect(unknown).to_have_attribute("title", "never seen in training")
    for left, right, gap in [("fat", "igu", 0), ("igu", "é", 0), ("é", ".", 4)]:
        distance = boxes[right]["x"] - boxes[left]["x"] - boxes[left]["width"]
        assert distance == pytest.approx(gap, abs=0.1)


def test_a_fine_screen_gets_whole_pixels_per_weight(show):
    maps = maps_cases.sentence()
    with show("sentence", device_scale_factor=2) as page:
        box = page.locator(".cells").bounding_box()
        sheet = pixels(page.locator(".sheet canvas"))
        first = tile(page, 0, 0).bounding_box()
    assert box["width"] * 2 % maps.visible.shape[1] == 0
    side = round(first["width"] * 2)
    n = side // maps.visible.shape[0]
    assert side == n * maps.visible.shape[0]
    shown = sheet[:side:n, :side:n]
    assert (shown == expected_pixels(maps.weights[0, 0], maps.visible)).all()


def test_labels_stay_apart(show):
    with show("long") as page:
        boxes = [label.bounding_box() for label in page.locator(".labels.rows .label").all()]
    for upper, lower in zip(boxes, boxes[1:], strict=False):
        assert lower["y"] - upper["y"] >= 11


def test_too_many_weights_are_pooled_and_it_says_so(show):
    maps = maps_cases.CASES["long"]()
    with show("long") as page:
        note = page.locator(".grid .note").inner_text()
        first = tile(page, 0, 0).bounding_box()
        sheet = pixels(page.locator(".sheet canvas"))
    pool = int(re.fullmatch(r"each pixel shows the largest of (\d) × \1 weights", note)[1])
    weights = maps.weights[0, 0, :pool, :pool].max(keepdims=True)
    assert first["width"] == -(-128 // pool)
    assert (sheet[0, 0] == expected_pixels(weights, np.ones((1, 1), bool))[0, 0]).all()


def test_hostile_tokens_are_plain_text(show):
    with show("hostile") as page:
        shown = [chip.text_content() for chip in page.locator(".chip").all()]
        hover_cell(page, 3, 0, maps_cases.hostile())
        line = page.locator(".tooltip .line").first
        expect(line).to_have_text(f"{{key}} → {maps_cases.HOSTILE[0]} 0.143")
        assert page.evaluate("window.hurt") is None
        assert page.locator(".maps script, .maps img").count() == 0
    assert shown == list(maps_cases.HOSTILE)


def test_both_themes_show_a_weight_in_the_same_colour(show):
    seen = {}
    for scheme in ("light", "dark"):
        with show("decoder", color_scheme=scheme) as page:
            seen[scheme] = pixels(page.locator(".cells canvas"))
            text, ground = page.locator(".maps").evaluate(
                "m => [getComputedStyle(m).color, getComputedStyle(document.querySelector("
                "'.stApp')).backgroundColor]"
            )
        light_text = int(re.findall(r"\d+", text)[0]) > 127
        assert light_text == (scheme == "dark") != (int(re.findall(r"\d+", ground)[0]) > 127)
    assert (seen["light"] == seen["dark"]).all()


@pytest.mark.parametrize(
    ("case", "width"),
    [("many", 900), ("decoder", 900), ("decoder", 600), ("hostile", 600), ("endless", 900)],
)
def test_narrow_windows_need_no_sideways_scrolling(show, case, width):
    with show(case, viewport={"width": width, "height": 800}) as page:
        root = page.locator(".maps").bounding_box()
        for part in (".sheet", ".plot", ".legend", ".chips", ".chip"):
            for found in page.locator(part).all():
                if box := found.bounding_box():
                    assert box["x"] + box["width"] <= root["x"] + root["width"] + 5
        scrolls = page.evaluate(
            "[document.documentElement, document.querySelector('.stMain')]"
            ".some(e => e.scrollWidth > e.clientWidth)"
        )
        words = page.locator(".translation").evaluate("e => e.scrollWidth > e.clientWidth")
    assert not scrolls
    assert not words


def test_a_narrower_window_redraws_in_place(show):
    with show("sentence") as page:
        page.locator(".cells canvas").evaluate("canvas => { window.seen = canvas; }")
        tile(page, 0, 0).focus()
        before = page.locator(".sheet").bounding_box()["width"]
        page.set_viewport_size({"width": 700, "height": 800})
        expect(page.locator(".sheet")).not_to_have_css("width", f"{before:g}px")
        assert page.locator(".sheet").bounding_box()["width"] < before
        assert page.locator(".cells canvas").evaluate("canvas => canvas === window.seen")
        expect(tile(page, 0, 0)).to_be_focused()
