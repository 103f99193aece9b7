"""Terms are explained where they stand."""

from contextlib import suppress

import pytest
from playwright.sync_api import expect

from tests.browser.waiting import settled

pytestmark = pytest.mark.browser
PLACE_OF = """term => {
    for (const range of CSS.highlights.get("term") ?? []) {
        if (range.toString() !== term) continue;
        range.startContainer.parentElement.scrollIntoView({block: "center"});
        const {x, y, width, height} = range.getBoundingClientRect();
        if (!width) continue;
        return {x: x + width / 2, y: y + height / 2};
    }
}"""


def place_of(page, term):
    page.wait_for_function(f"term => ({PLACE_OF})(term)", arg=term)
    return page.evaluate(PLACE_OF, term)


def explained(page, term, reach):
    """Reach for a term until it is explained, as what is drawn late may move it; say where."""
    for _ in range(8):
        place = place_of(page, term)
        reach(place["x"], place["y"])
        with suppress(AssertionError):
            expect(page.locator(".term-tip")).to_be_visible(timeout=3_000)
            return place
        page.mouse.move(5, 400)
    raise AssertionError(f"{term} is never explained")


def test_a_term_is_explained_to_whoever_rests_on_it(visit):
    page = visit("heads?trial=scores&model=copy")
    page.get_by_text("of each head: what it looks at and how often").wait_for(timeout=60_000)
    settled(page)
    tip = page.locator(".term-tip")
    expect(tip).to_be_hidden()
    explained(page, "held-out", page.mouse.move)
    expect(tip).to_contain_text("held-out · Sentences that were never used in training.")
    page.mouse.move(5, 400)
    expect(tip).to_be_hidden()


def test_a_tap_explains_it_and_another_one_takes_it_away(visit):
    page = visit(
        "heads?trial=scores&model=copy", viewport={"width": 390, "height": 844}, has_touch=True
    )
    page.locator(".st-key-seen").wait_for(timeout=60_000)
    settled(page)
    tip = page.locator(".term-tip")
    place = explained(page, "held-out", page.touchscreen.tap)
    # A scroll that moves nothing, such as the end of one that came before the tap, is no reason.
    page.evaluate("dispatchEvent(new Event('scroll'))")
    expect(tip).to_be_visible()
    box = tip.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.touchscreen.tap(place["x"], 820)
    expect(tip).to_be_hidden()


def test_a_button_that_was_clicked_is_not_explained_over_what_it_opens(visit):
    page = visit("heads?trial=prune&model=everyday", viewport={"width": 1280, "height": 720})
    page.locator(".st-key-seen").wait_for(timeout=60_000)
    settled(page)
    # Its label is a term: who rests on it is told what it means, who has clicked is not.
    page.wait_for_function("CSS.highlights.has('term')")
    page.wait_for_timeout(1000)
    page.get_by_role("radio", name="silence").click()
    page.wait_for_timeout(1500)
    expect(page.locator(".term-tip")).to_be_hidden(timeout=1)
