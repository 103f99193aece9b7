"""The lessons in a real browser."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]
# What a view's picture is made of: a map, a drawing, a chart or a table.
PICTURE = ".matrices[data-drawn], .architecture[data-drawn], .stVegaLiteChart svg, .stTable"
pytestmark = pytest.mark.browser


def link(view, **parameters):
    return "&".join([f"lessons?lessons={view}", *(f"{k}={v}" for k, v in parameters.items())])


def picture(page):
    """Return the view's first picture, once it stands."""
    found = page.locator(PICTURE).first
    found.wait_for(timeout=20_000)
    return found


def test_a_click_on_a_part_opens_it_and_the_link_keeps_it(visit):
    page = visit(link("parts"))
    picture(page)
    page.locator("[data-part='decoder.0.cross']").first.click()
    expect(page).to_have_url(re.compile(r"part=decoder\.0\.cross"))
    expect(page.locator(".stTable")).to_contain_text("shape: memory")
    page.reload()
    picture(page)
    expect(page.locator(".stTable")).to_contain_text("shape: memory")
    page.locator("[data-part='decoder.0.cross']").first.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".stTable")).not_to_contain_text("shape: memory")


def test_an_older_link_leads_to_the_lesson_that_shows_the_same(visit):
    page = visit("layers?layers=lens&model=translate-guided&lens_stack=encoder")
    page.wait_for_function("location.pathname === '/lessons'")
    picture(page)
    expect(page.get_by_role("radio", name="layers", exact=True)).to_be_checked()
    expect(page.get_by_role("radio", name="encoder", exact=True)).to_be_checked()
