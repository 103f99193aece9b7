"""The attention maps in a real browser: what is drawn, said and sent."""

import base64
import io
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from core.commands.inspect import to_json
from core.heads import Kind
from core.inspection import inspect_sentence
from core.runs.run import load_run
from tests.browser.apps import maps_cases
from tests.browser.apps.maps_page import expected_pixels, opened_maps, point_of
from tests.browser.canvas import pixels
from tests.browser.conftest import ROOT

pytestmark = pytest.mark.browser


@pytest.fixture
def show(kept_pages):
    def opened(case, **options):
        return opened_maps(kept_pages, case, **options)

    return opened


def hover_cell(page, row, column, maps):
    page.mouse.move(*point_of(page, row, column, *maps.visible.shape))
    return page.locator(".tooltip")


def tile(page, layer, head):
    return page.get_by_role("button", name=f"layer {layer}, head {head}", exact=True)


def test_every_cell_has_the_colour_of_its_weight(show):
    maps = maps_cases.known()
    with show("known") as page:
        shown = pixels(page.locator(".cells canvas"))
    assert (shown == expected_pixels(maps.weights[1, 2], maps.visible)).all()


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


MUTE = "() => { window.sends = WebSocket.prototype.send; WebSocket.prototype.send = () => {}; }"


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
        # Past the two pictures of all heads.
        for key in (
            "Tab",
            "Tab",
            "Tab",
            "ArrowDown",
            "ArrowDown",
            "ArrowDown",
            "End",
            "ArrowLeft",
            "ArrowLeft",
        ):
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


def test_hostile_tokens_are_plain_text(show):
    with show("hostile") as page:
        shown = [chip.text_content() for chip in page.locator(".chip").all()]
        hover_cell(page, 3, 0, maps_cases.hostile())
        line = page.locator(".tooltip .line").first
        expect(line).to_have_text(f"{{key}} → {maps_cases.HOSTILE[0]} 0.143")
        assert page.evaluate("window.hurt") is None
        assert page.locator(".maps script, .maps img").count() == 0
    assert shown == list(maps_cases.HOSTILE)


@pytest.mark.parametrize(
    ("case", "width"),
    [("many", 900), ("hostile", 600)],
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


SENTENCE = "The animal didn't cross the street because it was too tired."


def test_a_real_models_weights_are_shown_cell_by_cell(visit):
    kind, layer, head = "decoder.self", 0, 3
    run = load_run(ROOT / "gallery" / "translate-guided")
    written = to_json(inspect_sentence(run, SENTENCE))
    site = "decoder.{}.{}".format(layer, kind.removeprefix("decoder."))
    weights = np.array(written["attention"][site]["weights"][head])
    visible = np.array(written["attention"][site]["visible"])
    fed, predicted = written["target"]["fed"], written["target"]["predicted"]
    keys = fed
    page = visit(f"?model=translate-guided&kind={Kind(kind).label}&layer={layer}&head={head}")
    page.locator(".maps[data-drawn]").wait_for()
    expect(page.locator(".map figcaption")).to_contain_text(f"layer {layer}, head {head}")
    shown = pixels(page.locator(".cells canvas"))
    assert (shown == expected_pixels(weights, visible)).all()
    rows = page.locator(".labels.rows .label").all_text_contents()
    assert rows == [f"{one}→{other}" for one, other in zip(fed, predicted, strict=True)]
    assert page.locator(".labels.columns .label").all_text_contents() == keys
    for row, column in [(0, 0), (len(fed) - 1, len(keys) - 1), (7, 3), (4, 9)]:
        page.mouse.move(*point_of(page, row, column, *visible.shape))
        said = page.locator(".tooltip b").inner_text()
        if visible[row, column]:
            assert float(said.replace("−", "-")) == pytest.approx(weights[row, column], rel=5.01e-3)
        else:
            assert said == "hidden by the mask"


SVG = "{http://www.w3.org/2000/svg}"


def saved(page, figure, ending):
    with page.expect_download() as download:
        page.locator(f".{figure} .tools .{ending}").click()
    return download.value.path()


def test_a_drawing_holds_every_cell_and_every_label_on_white(show):
    maps = maps_cases.known()
    with show("known", color_scheme="dark") as page:
        drawing = ElementTree.parse(saved(page, "map", "svg")).getroot()
        title = page.locator(".map figcaption").inner_text()
    texts = ["".join(text.itertext()) for text in drawing.iter(f"{SVG}text")]
    labels = [*maps.queries, *maps.predicted, *maps.keys]
    for needed in (*(label.text for label in labels), "key: the word looked at", "weight", title):
        assert needed in texts
    assert "query: word fed → word predicted" in texts
    assert drawing.find(f"{SVG}rect").get("fill") == "#ffffff"
    (cells,) = (group for group in drawing.iter(f"{SVG}g") if group.get("class") == "cells")
    colours = [tuple(bytes.fromhex(cell.get("fill")[1:])) for cell in cells]
    expected = expected_pixels(maps.weights[maps.selected], maps.visible).reshape(-1, 4)
    assert colours == [tuple(pixel[:3]) for pixel in expected if pixel[3]]


def test_a_picture_of_all_heads_shows_what_the_grid_shows(show):
    maps = maps_cases.decoder()
    with show("decoder", color_scheme="dark") as page:
        drawing = ElementTree.parse(saved(page, "grid", "svg")).getroot()
        sheet = pixels(page.locator(".sheet canvas"))
    texts = ["".join(text.itertext()) for text in drawing.iter(f"{SVG}text")]
    assert {"L0", "L2", "H0", "H3", "weight", "hidden by the mask"} <= set(texts)
    assert f"Decoder self-attention, heads: {maps.weights[:, :, 0, 0].size}" in texts
    (image,) = drawing.iter(f"{SVG}image")
    drawn = base64.b64decode(image.get("href").removeprefix("data:image/png;base64,"))
    assert (np.asarray(Image.open(io.BytesIO(drawn)).convert("RGBA")) == sheet).all()


def test_the_heads_of_many_layers_scroll_beside_the_map(show):
    with show("deep", viewport={"width": 1280, "height": 720}) as page:
        sheet, cells = (page.locator(each).bounding_box() for each in (".sheet", ".cells"))
        assert sheet["x"] + sheet["width"] <= cells["x"]
        assert cells["y"] + cells["height"] < 720
        size = tile(page, 0, 0).bounding_box()
        assert min(size["width"], size["height"]) >= 20
        assert page.locator(".sheet").evaluate("e => e.scrollHeight > e.clientHeight")
        tile(page, 29, 8).evaluate("e => e.click()")
        sheet, last = page.locator(".sheet").bounding_box(), tile(page, 29, 8).bounding_box()
        # What was chosen is in sight.
        assert sheet["y"] < last["y"]
        assert last["y"] + last["height"] <= sheet["y"] + sheet["height"] + 1
