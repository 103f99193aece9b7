"""The page of heads in a real browser: what is clicked, and what the link keeps."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.component import hover_cell

pytestmark = pytest.mark.browser


def silent_in(page, *heads):
    """Wait until the link names these heads and no other as silent."""
    named = "(,|%2C)".join(head.replace(".", r"\.").replace(":", "(:|%3A)") for head in heads)
    expect(page).to_have_url(re.compile(f"silent={named}(&|$)"))


def test_a_click_on_a_cell_silences_a_head_and_a_reload_keeps_it(visit):
    page = visit("heads?trial=silence&model=copy&silent=none")
    expect(page.get_by_text("All heads are on").first).to_be_visible()
    page.locator(".matrices[data-drawn]").wait_for()
    hover_cell(page, 1, 2, panel=0, click=True)
    silent_in(page, "encoder.1.self:2")
    said = page.get_by_text("Without encoder layer 1, head 2")
    expect(said).to_be_visible()
    page.reload()
    expect(said).to_be_visible()
    page.locator(".matrices[data-drawn]").wait_for()
    hover_cell(page, 1, 2, panel=0, click=True)
    expect(page.get_by_text("All heads are on").first).to_be_visible()
