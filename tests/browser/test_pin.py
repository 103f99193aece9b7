"""A word is pinned with the pointer or the keyboard, and stays marked in every picture."""

import pytest
from playwright.sync_api import expect

from tests.browser.waiting import settled

pytestmark = pytest.mark.browser
LABEL = ".map .labels.{which} .token:not(.predicted):text-is('{word}')"


def label(page, which, word):
    return page.locator(LABEL.format(which=which, word=word)).first


def line(page):
    return page.locator(".st-key-seen")


def test_a_word_that_is_clicked_stays_marked_in_other_kinds_and_views(visit):
    page = visit("?view=maps&model=translate")
    label(page, "rows", "street").click()
    expect(line(page)).to_contain_text("street looks most at")
    page.mouse.move(5, 400)
    expect(label(page, "rows", "street")).to_contain_class("marked")
    settled(page)
    page.get_by_role("radio", name="cross", exact=True).click()
    expect(line(page)).to_contain_text("street gets its largest weight from")
    expect(label(page, "columns", "street")).to_contain_class("marked")
    page.get_by_role("radio", name="lines", exact=True).click()
    expect(page.locator(".lines[data-active='key 6']")).to_be_visible()
