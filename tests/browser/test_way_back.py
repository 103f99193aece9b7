"""The way back: one step for each page and each choice."""

import pytest
from playwright.sync_api import expect

from pages import decoding, heads, lessons
from tests.browser.waiting import settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]


PAGES = {"Lessons": lessons, "Decoding": decoding, "Heads": heads}


def entries(page):
    urls = page.evaluate("navigation.entries().map(entry => entry.url)")
    return [url.partition("/")[2].partition("/")[2].partition("/")[2] for url in urls]


def go(page, name):
    page.get_by_role("link", name=name, exact=True).click(delay=30)
    is_on(page, name)


def is_on(page, name):
    page.wait_for_function(f"location.pathname === '/{name.lower()}'")
    # The address comes before the page does, and the page before stands until then.
    views = page.get_by_role("radiogroup", name="View", exact=True)
    label = PAGES[name].VIEWS[0].text.label
    expect(views.get_by_role("radio", name=label, exact=True)).to_be_visible()
    expect(page.get_by_role("textbox", name="Sentence", exact=True)).to_be_visible()
    settled(page)


def test_a_page_and_a_choice_are_one_step_each(visit):
    page = visit("lessons")
    box = page.get_by_role("textbox", name="Sentence", exact=True)
    expect(box).to_be_visible(timeout=60_000)
    settled(page)
    start = len(entries(page)) - 1
    go(page, "Decoding")
    # Until a page has stood for a second, what is chosen there belongs to the way to it.
    page.wait_for_timeout(1500)
    box.fill("The cat slept.")
    box.press("Enter")
    page.wait_for_function("location.search === '?sentence=The+cat+slept.'")
    settled(page)
    go(page, "Lessons")
    go(page, "Heads")
    said = "?sentence=The+cat+slept."
    wanted = ["lessons", "decoding", f"decoding{said}", f"lessons{said}", f"heads{said}"]
    assert entries(page)[start:] == wanted
    page.evaluate("history.back()")
    is_on(page, "Lessons")
    expect(box).to_have_value("The cat slept.")
    page.evaluate("history.go(-2)")
    is_on(page, "Decoding")
    expect(box).not_to_have_value("The cat slept.")


def test_a_query_that_comes_before_its_path_leaves_the_page_before_as_it_is(visit):
    """A slow browser applies what a page shows before it takes the page's path."""
    page = visit("lessons?sentence=The+cat+slept.")
    settled(page)
    page.evaluate("history.pushState({}, '', '/lessons?_shows=heads&_arrived=true')")
    assert entries(page)[-1] == "lessons?sentence=The+cat+slept."
    page.evaluate("history.pushState({}, '', '/heads?_shows=heads&_arrived=true')")
    assert entries(page)[-2:] == ["lessons?sentence=The+cat+slept.", "heads"]
