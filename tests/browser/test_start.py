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
def test_a_phone_is_wide_enough(visit):
    page = start(visit, viewport={"width": 390, "height": 844})
    assert page.evaluate("document.querySelector('.stMain').scrollWidth") <= 390


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


@pytest.mark.slow
def test_what_was_chosen_goes_on_and_the_page_s_link_leads_to_the_maps(visit):
    page = start(visit)
    page.get_by_role("radio", name="wide").click()
    expect(page.locator(".lines")).to_contain_text("“it” looks at “street”")
    page.get_by_role("link", name="Decoding", exact=True).click()
    page.locator(".decoding[data-drawn]").wait_for()
    box = page.get_by_role("textbox", name="Sentence", exact=True)
    expect(box).to_have_value("The animal didn't cross the street because it was too wide.")
    page.get_by_role("link", name="Attention", exact=True).click()
    page.locator(".maps[data-drawn]").wait_for()
    expect(box).to_have_value("The animal didn't cross the street because it was too wide.")


@pytest.mark.slow
def test_the_page_s_own_address_leads_to_the_maps(visit):
    page = visit("attention")
    page.locator(".maps[data-drawn]").wait_for(timeout=60_000)
    expect(page.get_by_role("button", name="Type your own")).to_have_count(0)
