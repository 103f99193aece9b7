"""The first screen: one screen, and two ways on."""

import pytest
from playwright.sync_api import expect

from tests.browser.waiting import settled

pytestmark = pytest.mark.browser


def start(visit, **options):
    page = visit("", **options)
    page.locator(".lines[data-drawn]").wait_for(timeout=60_000)
    settled(page)
    return page


def test_it_is_one_screen(visit):
    page = start(visit, viewport={"width": 1280, "height": 720})
    height, room = page.evaluate(
        "[document.querySelector('.stMain').scrollHeight, window.innerHeight]"
    )
    assert height <= room


@pytest.mark.slow
def test_the_keyboard_goes_on_and_a_reload_stays_there(visit):
    page = start(visit)
    page.get_by_role("button", name="Type your own").press("Enter")
    page.locator(".maps[data-drawn]").wait_for()
    expect(page.get_by_role("textbox", name="Sentence", exact=True)).to_be_visible()
    page.wait_for_function("location.search === '?view=maps'")
    page.reload()
    page.locator(".maps[data-drawn]").wait_for()
    settled(page)
    page.evaluate("history.back()")
    expect(page.get_by_role("button", name="Type your own")).to_be_visible()
    page.evaluate("history.forward()")
    page.locator(".maps[data-drawn]").wait_for()
