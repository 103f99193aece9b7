"""The drawing of a model in a real browser."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_parts_are_named_for_those_who_do_not_see_them_and_under_the_pointer(show):
    with show("architecture", "x") as page:
        for part_id, name in [
            ("encoder.embedding", "encoder: Embedding, 1,096"),
            ("decoder.0.self", "decoder layer 0: Masked self-attention, 288"),
        ]:
            part = page.get_by_role("img", name=name, exact=True)
            expect(part).to_have_attribute("data-part", part_id)
        part.hover()
        expect(page.locator(".tooltip")).to_have_text("decoder layer 0: Masked self-attention288")
