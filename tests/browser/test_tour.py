"""The tour by keyboard alone, and a stop shown to a whole room."""

import time
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from pages.frame.layout import STEPS
from pages.frame.links import FIRST_PAGE
from pages.frame.tour import own_tour
from tests.browser.waiting import settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]
STOPS = own_tour().stops
NUMBERS = {stop.name: number for number, stop in enumerate(STOPS, start=1)}
BACK_ROW = 20
"""So many pixels high are the letters that can be read from there."""


def at_stop(page, number):
    expect(page.locator(".st-key-tour")).to_contain_text(f"Stop {number} of {len(STOPS)}")
    name = STOPS[number - 1].name
    page.wait_for_function(f"new URL(location).searchParams.get('stop') === '{name}'")
    settled(page)


def link_to(name, **more):
    """Return the link that a stop opens with."""
    stop = STOPS[NUMBERS[name] - 1]
    path = "" if stop.page == FIRST_PAGE else stop.page
    return f"{path}?{urlencode({**stop.query, 'tour': 'paper', 'stop': name} | more)}"


def test_the_answer_comes_by_a_key_and_is_kept_by_a_reload(visit):
    page = visit(link_to("cross-attention"))
    page.locator(".lines[data-drawn]").wait_for(timeout=60_000)
    settled(page)
    expect(page.locator(".st-key-seen")).to_contain_text("Predict first")
    page.keyboard.press("a")
    expect(page.locator(".st-key-seen")).to_contain_text("What you see")
    settled(page)
    page.reload()
    expect(page.locator(".st-key-seen")).to_contain_text("What you see")
    settled(page)
    # A key presses a button, which may be drawn after what is seen.
    expect(page.get_by_role("button", name="Hide the answer")).to_be_visible()
    page.keyboard.press("a")
    expect(page.locator(".st-key-seen")).to_contain_text("Predict first")


def test_keys_mean_nothing_to_the_tour_where_somebody_types(visit):
    page = visit(link_to("cross-attention", sentence="The dog slept."))
    page.locator(".lines[data-drawn]").wait_for(timeout=60_000)
    settled(page)
    box = page.get_by_role("textbox", name="Sentence", exact=True)
    box.focus()
    for key in ("ArrowRight", "p", "a"):
        page.keyboard.press(key)
    expect(box).to_have_value("The dog slept.pa")
    settled(page)
    assert "stop=cross-attention" in page.url
    assert page.evaluate("document.documentElement.dataset.presenting") is None


# Every text that is seen: how high its letters are, in pixels of the screen, and what it says.
LETTERS = """() => {
    const found = [];
    const walk = (root) => {
        for (const node of root.querySelectorAll("*")) {
            if (node.shadowRoot) walk(node.shadowRoot);
            if (/^(style|script|title|desc)$/i.test(node.tagName)) continue;
            const seen = { opacityProperty: true, visibilityProperty: true };
            for (const text of node.childNodes) {
                if (text.nodeType !== 3 || !text.data.trim()) continue;
                if (!node.checkVisibility(seen)) continue;
                const range = document.createRange();
                range.selectNode(text);
                const { width, height } = range.getBoundingClientRect();
                // An index in a formula is small on a blackboard, too.
                if (node.closest("math, .mtight")) continue;
                // What only screen readers say is clipped.
                const clipped = node.closest(".live, [data-testid=stMarkdownContainer]");
                if (width < 2 || !height || clipped?.offsetWidth === 1) continue;
                const size = parseFloat(getComputedStyle(node).fontSize);
                const { a, b } = node.ownerSVGElement ? node.getScreenCTM() : {};
                found.push([size * (a === undefined ? node.currentCSSZoom : Math.hypot(a, b)),
                    text.data.trim()]);
            }
        }
    };
    walk(document.querySelector("[data-testid=stMain]"));
    return found;
}"""
SECONDS = 20
CONTROLS = (
    ".stSelectbox, .stTextInput, .stSlider, .stNumberInput, .stExpander, .stPopover, "
    ".stElementToolbar, .tools, .zoom, .threshold, .looking, .stPageLink, .stDownloadButton"
)
NOT_ASKED = """(all, keys) => all
    .filter(each => !keys.some(key => each.closest(`[class*="st-key-${key}"]`)))
    .map(each => each.className)"""


def presented(page, number, *, answered):
    """Hold a stop in presentation mode to what a back row needs."""
    # Charts are drawn anew for the room, which takes a moment on a busy machine.
    deadline = time.monotonic() + SECONDS
    while True:
        letters = page.evaluate(LETTERS)
        small = [each for each in letters if each[0] < BACK_ROW]
        width = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
        if (letters and not small and width <= 1280) or time.monotonic() > deadline:
            break
        page.wait_for_timeout(200)
    assert letters and small == [], number
    assert width <= 1280, number
    seen = page.locator(CONTROLS).filter(visible=True)
    # What the task asks to click is not hidden with the other controls.
    keys = list(STOPS[number - 1].clicks)
    assert seen.evaluate_all(NOT_ASKED, keys) == [], number
    said = page.locator(".st-key-seen")
    expect(said).to_contain_text("What you see" if answered else "Predict first")
    below = said.bounding_box()["y"] + said.bounding_box()["height"]
    assert below < 250, number


@pytest.mark.parametrize("number", range(1, len(STOPS) + 1))
def test_the_back_row_reads_every_stop_and_its_answer(visit, number):
    stop = STOPS[number - 1]
    page = visit(link_to(stop.name), viewport={"width": 1280, "height": 720})
    at_stop(page, number)
    page.keyboard.press("p")
    expect(page.locator("header.stAppHeader")).to_be_hidden()
    for answered in (False, True):
        if answered:
            page.keyboard.press("a")
            expect(page.locator(".st-key-seen")).to_contain_text("What you see", timeout=60_000)
            settled(page)
        # What is drawn anew takes the place of what was there before.
        page.wait_for_timeout(1000)
        presented(page, number, answered=answered)
        # What the task asks to click is not hidden with the other controls.
        for key in stop.clicks if not answered else ():
            asked = ".walk .following" if key == STEPS else f"[class*='st-key-{key}']"
            expect(page.locator(asked).first).to_be_visible()
        for name in ("reveal", "back", "next"):
            expect(page.locator(f".st-key-tour_{name}")).to_be_visible()
