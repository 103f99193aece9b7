"""One word's strips in a real browser: what is drawn, read and sent, in the app and alone."""

import pytest
from playwright.sync_api import expect

from tests.browser.apps import strips_cases
from tests.browser.component import expect_heard, panel_of, pixels, press, weight_pixels

pytestmark = pytest.mark.browser


def canvas(page, index):
    return panel_of(page, index).locator("canvas")


def chip(page, side, index):
    return page.locator(f".chips.{side} [data-index='{index}']")


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
