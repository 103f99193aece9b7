"""Numbers and forms of texts in the language of whoever reads."""

import pytest
from playwright.sync_api import expect

from tests.browser.apps import maps_cases

pytestmark = pytest.mark.browser


def test_numbers_and_forms_follow_the_language_of_the_payload(kept_pages):
    with kept_pages.show("german", ".maps[data-drawn]", "") as page:
        expect(page.locator(".maps .grid figcaption")).to_have_text("Alle 6 Köpfe")
        box = page.locator(".maps .cells").bounding_box()
        page.mouse.move(box["x"] + 1, box["y"] + 1)
        weight = f"{maps_cases.known().weights[1, 2, 0, 0]:#.3g}".replace(".", ",")
        expect(page.locator(".maps .tooltip b")).to_have_text(weight)
        ticks = page.locator(".maps .legends .ticks").inner_text().split()
        assert ticks == ["0", "0,5", "1"]
        expect(page.locator(".note.pooled", has_text="jede")).to_have_text("jede 2.")


@pytest.mark.slow
def test_chinese_beside_a_map_is_not_turned_on_its_head(kept_pages):
    """Without this each sign would stand upright in a column, and the column is turned around."""
    with kept_pages.show("german", ".maps[data-drawn]", "") as page:
        turned = page.locator(".maps .axis.down").first.evaluate(
            "axis => [getComputedStyle(axis).textOrientation, getComputedStyle(axis).transform]"
        )
    assert turned == ["sideways", "matrix(-1, 0, 0, -1, 0, 0)"]
