"""One word's strips in a real browser: what is drawn, read and sent, in the app and alone."""

import pytest
from playwright.sync_api import expect

from tests.browser.component import expect_heard, panel_of, press

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def chip(page, side, index):
    return page.locator(f".chips.{side} [data-index='{index}']")


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
