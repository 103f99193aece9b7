"""Numbers and forms of texts in the language of whoever reads."""

import pytest
from playwright.sync_api import expect

from tests.browser.apps import maps_cases

pytestmark = pytest.mark.browser


def test_numbers_and_forms_follow_the_language_of_the_payload(new_page, serve):
    page = new_page()
    page.goto(serve("tests/browser/apps/german_app.py"))
    page.locator(".maps[data-drawn]").wait_for()
    expect(page.locator(".maps .grid figcaption")).to_have_text("Alle 6 Köpfe")
    box = page.locator(".maps .cells").bounding_box()
    page.mouse.move(box["x"] + 1, box["y"] + 1)
    weight = f"{maps_cases.known().weights[1, 2, 0, 0]:#.3g}".replace(".", ",")
    expect(page.locator(".maps .tooltip b")).to_have_text(weight)
    ticks = page.locator(".maps .legends .ticks").inner_text().split()
    assert ticks == ["0", "0,5", "1"]
    expect(page.locator(".note.pooled", has_text="jede")).to_have_text("jede 2.")
    page.close()
