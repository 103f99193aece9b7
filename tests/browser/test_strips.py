"""One word's strips in a real browser: what is drawn, read and sent, in the app and alone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.apps import strips_cases
from tests.browser.component import (
    drawing_of,
    expect_heard,
    panel_of,
    pixels,
    press,
    texts_of,
    weight_pixels,
)

TIRED = "The animal didn't cross the street because it was too tired."
pytestmark = pytest.mark.browser


def canvas(page, index):
    return panel_of(page, index).locator("canvas")


def chip(page, side, index):
    return page.locator(f".chips.{side} [data-index='{index}']")


def names(page):
    return panel_of(page, 0).locator(".strip").all_text_contents()


def test_every_cell_has_the_colour_of_its_weight_and_hidden_ones_none(show):
    with show("strips", "target") as page:
        for index, group in enumerate(strips_cases.target().groups):
            expected = weight_pixels(group.weights, group.visible)
            assert (pixels(canvas(page, index)) == expected).all()


def test_each_strip_has_its_head_and_the_token_with_the_largest_weight(show):
    view = strips_cases.source()
    [group] = view.groups
    with show("strips", "source") as page:
        tops = [top.inner_text().split() for top in page.locator(".panels .top").all()]
        assert names(page) == [f"encoder layer {layer}, head {head}" for layer, head in group.heads]
        texts = texts_of(drawing_of(page))
    best = group.weights.argmax(axis=1)
    expected = [
        ["→", view.source[column].text, f"{weight:#.3g}"]
        for column, weight in zip(best, group.weights.max(axis=1), strict=True)
    ]
    assert tops == expected
    assert {number for *_, number in expected} <= set(texts)


def test_another_word_is_a_click_away(show):
    with show("strips", "source") as page:
        expect(chip(page, "source", 3)).to_have_attribute("aria-pressed", "true")
        chip(page, "target", 2).click()
        expect_heard(page, "pin", {"side": "target", "index": 2})
        expect(chip(page, "target", 2)).to_have_attribute("aria-pressed", "true")
        captions = page.locator(".panels figcaption")
        expect(captions.first).to_have_text("Decoder self-attention: what “chat” looks back at")
        group = strips_cases.target().groups[1]
        assert (pixels(canvas(page, 1)) == weight_pixels(group.weights, group.visible)).all()
        chip(page, "source", 1).click()
        expect(captions).to_have_count(1)


def test_words_and_heads_are_chosen_with_the_keyboard(show):
    with show("strips", "source") as page:
        chip(page, "source", 3).focus()
        press(page, "ArrowLeft", "ArrowLeft", "Enter")
        expect_heard(page, "pin", {"side": "source", "index": 1})
        expect(page.locator(".live")).to_have_text("Encoder self-attention: what “big” looks at")
        expect(chip(page, "source", 1)).to_be_focused()
        # The last target token is predicted, never fed: there is nothing to follow.
        press(page, "ArrowDown", "End", "Space")
        expect_heard(page, "pin", {"side": "target", "index": 4})
        expect(chip(page, "target", 5)).to_have_attribute("aria-disabled", "true")
        panel_of(page, 1).locator(".strip").first.focus()
        press(page, *["ArrowDown"] * 4, "Enter")
        expect_heard(page, "strip", {"kind": "decoder.cross", "layer": 1, "head": 1})


def test_very_many_strips_scroll_in_a_box_and_narrow_cells_are_pooled(show):
    weights = strips_cases.many().groups[1].weights
    with show("strips", "many", width=900) as page:
        box = panel_of(page).locator(".box")
        assert box.evaluate("b => b.scrollHeight") == 22 * 192
        assert box.bounding_box()["height"] < 600
        note = panel_of(page).locator(".note.pooled").text_content()
        shown = pixels(canvas(page, 1))
    pool = int(re.fullmatch(r"each cell shows the largest of (\d) weights", note)[1])
    assert (shown == weight_pixels(weights.reshape(192, -1, pool).max(axis=2))).all()
