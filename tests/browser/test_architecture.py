"""The drawing of a model in a real browser: what is read with the keyboard, and sent."""

import pytest
from playwright.sync_api import expect

from tests.browser.apps.architecture_models import described
from tests.browser.component import press

pytestmark = pytest.mark.browser


def part(page, part_id):
    return page.locator(f'.part[data-part="{part_id}"]')


def test_every_part_is_there_in_its_order_and_a_click_redraws_in_place(show):
    with show("architecture", "x") as page:
        parts = page.locator(".part")
        ids = parts.evaluate_all("parts => parts.map(part => part.dataset.part)")
        assert ids == list(described(3, 2).ids)
        parts.evaluate_all("parts => parts.forEach(part => { part.kept = true; })")
        part(page, "decoder.1.cross").click(position={"x": 12, "y": 8})
        expect(page.get_by_text("selected: decoder.1.cross", exact=True)).to_be_visible()
        expect(page.locator('.part[aria-pressed="true"]')).to_have_attribute(
            "data-part", "decoder.1.cross"
        )
        assert parts.evaluate_all("parts => parts.every(part => part.kept)")
        assert page.locator(".arrow.near").count() == 3


def test_parts_are_named_for_those_who_do_not_see_them(show):
    with show("architecture", "x&encoder=1&decoder=1") as page:
        for part_id, name in [
            ("encoder.embedding", "encoder: Embedding, 15 × 128"),
            ("decoder.0.self", "decoder layer 0: Masked self-attention, 15 × 128, 4 heads"),
            ("output", "Linear output, 128 → 137"),
        ]:
            button = page.get_by_role("button", name=name, exact=True)
            expect(button).to_have_attribute("data-part", part_id)
        part(page, "decoder.0.cross").hover()
        expect(page.locator(".tooltip")).to_have_text(
            "decoder layer 0: Cross-attention15 × 12, 4 heads"
        )


def test_arrow_keys_follow_the_data_and_change_stacks_and_enter_picks(show):
    with show("architecture", "x") as page:
        stops = page.locator('.part[tabindex="0"]')
        expect(stops).to_have_attribute("data-part", "encoder.0.self")
        part(page, "encoder.0.self").focus()
        for key, expected in [
            ("ArrowUp", "encoder.0.self.norm"),
            ("ArrowDown", "encoder.0.self"),
            ("Home", "encoder.embedding"),
            ("ArrowRight", "decoder.embedding"),
            ("End", "softmax"),
            ("ArrowLeft", "encoder.2.feed_forward.norm"),
        ]:
            press(page, key)
            expect(part(page, expected)).to_be_focused()
        press(page, "Enter")
        expect(
            page.get_by_text("selected: encoder.2.feed_forward.norm", exact=True)
        ).to_be_visible()
        expect(part(page, "encoder.2.feed_forward.norm")).to_be_focused()
