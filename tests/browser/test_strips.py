"""One word's strips in a real browser: what is drawn, said and sent, in the app and alone."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from core.inspection import inspect_sentence
from core.runs.run import load_run
from tests.browser.apps import strips_cases
from tests.browser.canvas import pixels
from tests.browser.conftest import ROOT
from tests.browser.waiting import settled
from viz import theme

APP = "strips"
TIRED = "The animal didn't cross the street because it was too tired."
pytestmark = pytest.mark.browser


@pytest.fixture
def show(kept_pages):
    """Show the component on one case."""
    return lambda case, **options: kept_pages.show(
        APP, ".strips[data-drawn]", f"case={case}", **options
    )


def coloured(weights, visible):
    """Return the pixels that cells should have; hidden ones are clear."""
    at = np.floor(weights.astype(np.float64) * 255 + 0.5).astype(int)
    colours = theme.scale_table()[np.minimum(255, at)]
    opacity = np.where(visible, 255, 0).astype(np.uint8)[..., None]
    return np.concatenate([np.where(visible[..., None], colours, 0), opacity], axis=-1)


def of_group(group):
    return coloured(group.weights, np.broadcast_to(group.visible, group.weights.shape))


def group(page, index):
    return page.locator(".panels .panel").nth(index)


def chip(page, side, index):
    return page.locator(f".chips.{side} [data-index='{index}']")


def names(page, index=0):
    return [name.text_content() for name in group(page, index).locator(".strip").all()]


def hover_cell(page, index, strip, column, columns):
    cells = group(page, index).locator(".cells")
    box = cells.bounding_box()
    page.mouse.move(box["x"] + (column + 0.5) * box["width"] / columns, box["y"] + 22 * strip + 8)
    return page.locator(".tooltip .line")


def test_every_cell_has_the_colour_of_its_weight_and_hidden_ones_none(show):
    view = strips_cases.target()
    with show("target") as page:
        for index, shown in enumerate(view.groups):
            found = pixels(group(page, index).locator("canvas"))
            assert (found == of_group(shown)).all()
        canvas = group(page, 0).locator("canvas")
        hatch = canvas.evaluate("c => getComputedStyle(c).backgroundImage")
    assert "repeating-linear-gradient" in hatch


def test_each_strip_has_its_head_and_the_token_with_the_largest_weight(show):
    view = strips_cases.source()
    with show("source") as page:
        found = [top.inner_text().split() for top in page.locator(".panels .top").all()]
        shown = names(page)
    [strips] = view.groups
    assert shown == [f"encoder layer {layer}, head {head}" for layer, head in strips.heads]
    best = strips.weights.argmax(axis=1)
    assert found == [
        ["→", view.source[column].text, f"{weight:#.3g}"]
        for column, weight in zip(best, strips.weights.max(axis=1), strict=True)
    ]


def test_the_word_chosen_at_first_is_marked_and_another_one_is_a_click_away(show):
    with show("source") as page:
        expect(chip(page, "source", 3)).to_have_attribute("aria-pressed", "true")
        chip(page, "target", 2).click()
        expect(page.get_by_text("picks: 1, target 2")).to_be_visible()
        expect(chip(page, "target", 2)).to_have_attribute("aria-pressed", "true")
        expect(chip(page, "source", 3)).to_have_attribute("aria-pressed", "false")
        captions = page.locator(".panels figcaption")
        expect(captions.first).to_have_text("Decoder self-attention: what “chat” looks back at")
        expect(captions.last).to_have_text("Cross-attention: what “chat” looks at in the source")
        view = strips_cases.target()
        found = pixels(group(page, 1).locator("canvas"))
        assert (found == of_group(view.groups[1])).all()
        chip(page, "source", 1).click()
        expect(captions).to_have_count(1)


def test_words_are_chosen_with_the_keyboard(show):
    with show("source") as page:
        chip(page, "source", 3).focus()
        for key in ("ArrowLeft", "ArrowLeft", "Enter"):
            page.keyboard.press(key)
        expect(page.get_by_text("picks: 1, source 1")).to_be_visible()
        expect(page.locator(".live")).to_have_text("Encoder self-attention: what “big” looks at")
        expect(chip(page, "source", 1)).to_be_focused()
        for key in ("ArrowDown", "End", "Space"):
            page.keyboard.press(key)
        # The last target token is predicted, never fed: there is nothing to follow.
        expect(page.get_by_text("picks: 2, target 4")).to_be_visible()
        chip(page, "target", 5).click(force=True)
        chip(page, "target", 1).click()
        expect(page.get_by_text("picks: 3, target 1")).to_be_visible()
        expect(chip(page, "target", 5)).to_have_attribute("aria-disabled", "true")


def test_a_strips_name_opens_that_head(show):
    with show("target") as page:
        group(page, 1).locator(".strip").first.focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
            page.keyboard.press(key)
        expect(page.get_by_text("opened: decoder.cross 1 1")).to_be_visible()


def test_very_many_strips_scroll_in_a_box_and_narrow_cells_are_pooled(show):
    view = strips_cases.many()
    with show("many", viewport={"width": 900, "height": 800}) as page:
        box = group(page, 0).locator(".box")
        assert box.evaluate("b => b.scrollHeight") == 22 * 192
        assert box.bounding_box()["height"] < 600
        note = group(page, 0).locator(".note.pooled").text_content()
        found = pixels(group(page, 1).locator("canvas"))
        ends = page.locator(".cells, .tops, .chips, .box").evaluate_all(
            "found => found.map(e => e.getBoundingClientRect().right)"
        )
        wide = page.evaluate("document.querySelector('.stMain').scrollWidth")
    pool = int(re.fullmatch(r"each cell shows the largest of (\d) weights", note)[1])
    weights = view.groups[1].weights
    assert 512 % pool == 0
    largest = weights.reshape(192, -1, pool).max(axis=2)
    assert (found == coloured(largest, np.ones(largest.shape, bool))).all()
    assert max(*ends, wide) <= 900


def test_the_picture_to_take_away_has_every_strip_as_text_and_cells(show):
    view = strips_cases.target()
    with show("target", color_scheme="dark") as page:
        with page.expect_download() as download:
            page.get_by_role("button", name="Save as a drawing: What “chat” looks at").click()
        svg = download.value.path().read_text()
        with page.expect_download() as raster:
            page.get_by_role("button", name="Save as a picture: What “chat” looks at").click()
        png = raster.value.path().read_bytes()
    assert download.value.suggested_filename == "what-chat-looks-at-in-every-head.svg"
    assert png.startswith(b"\x89PNG")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert {f"{weight:#.3g}" for g in view.groups for weight in g.weights.max(axis=1)} <= {*texts}
    assert texts.count("decoder layer 1, head 2") == 2
    cells = {
        tuple(int(c[i : i + 2], 16) for i in (0, 2, 4)) for c in re.findall(r'="#(\w{6})"', svg)
    }
    for shown in view.groups:
        for colour in of_group(shown)[:, shown.visible][..., :3].reshape(-1, 3):
            assert tuple(colour) in cells


@pytest.fixture(scope="module")
def inspection():
    return inspect_sentence(load_run(ROOT / "gallery" / "translate-guided"), TIRED)


def test_the_app_follows_the_pronoun_and_then_the_word_clicked(visit, inspection):
    page = visit("?view=word&model=translate-guided")
    page.locator(".strips[data-drawn]").wait_for()
    settled(page)
    it = [token.text for token in inspection.source_tokens].index("it")
    weights = encoder_rows(inspection, it)
    expect(chip(page, "source", it)).to_have_attribute("aria-pressed", "true")
    order = np.argsort(-weights.max(axis=1), kind="stable")
    found = pixels(group(page, 0).locator("canvas"))
    assert (found == coloured(weights[order], np.ones(weights.shape, bool))).all()
    assert names(page) == [f"encoder layer {i // 4}, head {i % 4}" for i in order]
    chip(page, "source", 1).click()
    expect(page.locator(".panels figcaption")).to_contain_text("“animal”")
    assert {"side=source", "token=1"} <= {*page.url.split("?")[1].split("&")}


def encoder_rows(inspection, index):
    return np.concatenate(
        [
            attention.weights_HQK[:, index]
            for site, attention in inspection.attention.items()
            if site.attention == "encoder.self"
        ]
    )


def test_a_strips_name_opens_the_maps_of_the_app(visit):
    page = visit("?view=word&side=target&token=11")
    page.get_by_role("button", name="decoder layer 1, head 0: show it in the maps").last.click()
    caption = page.locator(".maps .map figcaption")
    expect(caption).to_have_text("Decoder layer 1, head 0: where it looks in the source")
