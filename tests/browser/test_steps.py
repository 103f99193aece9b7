"""The steps of a head in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.component import cell_of
from tests.browser.waiting import settled

pytestmark = pytest.mark.browser


def opened(visit, stage):
    """Open the view on a step, and return the page once matrices and terms stand."""
    page = visit(f"?view=steps&model=translate-guided&stage={stage}")
    for at in range(2):
        page.locator(".matrices[data-drawn]").nth(at).wait_for(timeout=60_000)
    settled(page)
    return page


def matrices(page):
    """Return the matrices of the step; those of the terms come after them."""
    return page.locator(".matrices").first


def equation(page):
    return page.get_by_test_id("stMarkdown").filter(has_text="What you see")


def test_a_clicked_cell_is_framed_and_its_terms_come_to_the_number_under_the_pointer(visit):
    page = opened(visit, "q·k")
    result = matrices(page).locator(".panel").nth(0)
    at = cell_of(page, 5, 6)
    page.mouse.move(*at)
    tooltip = matrices(page).locator(".tooltip .line").first
    expect(tooltip).to_contain_text("the → street")
    number = tooltip.inner_text().split()[-1]
    page.mouse.click(*at)
    made = f"q·k (the → street) = q of the · kᵀ of street = {number}."
    expect(equation(page)).to_contain_text(made)
    expect(result.locator(".chosen")).to_have_attribute("style", "--row: 5; --column: 6;")
    expect(page).to_have_url(re.compile("cell=0%2C5%2C6"))


def test_next_and_back_keep_the_focus_so_that_enter_goes_on(visit):
    page = opened(visit, "q·k")
    forth = page.get_by_role("button", name="Next step")
    forth.focus()
    for stage in ("÷ √d_k", "mask", "softmax"):
        page.keyboard.press("Enter")
        expect(page.get_by_role("radio", name=stage, exact=True)).to_be_checked()
        expect(forth).to_be_focused()
    page.get_by_role("button", name="Previous step").press("Enter")
    expect(page.get_by_role("radio", name="mask", exact=True)).to_be_checked()
