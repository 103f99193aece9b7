"""Terms are explained where they stand."""

from contextlib import suppress

import pytest
from playwright.sync_api import expect

from pages.frame import glossary
from tests.browser.waiting import settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PLACE_OF = """term => {
    for (const range of CSS.highlights.get("term") ?? []) {
        if (range.toString() !== term) continue;
        range.startContainer.parentElement.scrollIntoView({block: "center"});
        // A term may be broken over two lines.
        const {x, y, width, height} = range.getClientRects()[0] ?? {};
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
    page = visit("?model=bottleneck-fixed")
    page.locator(".st-key-seen").wait_for(timeout=60_000)
    settled(page)
    tip = page.locator(".term-tip")
    expect(tip).to_be_hidden()
    explained(page, "held-out", page.mouse.move)
    expect(tip).to_contain_text("held-out · Sentences that were never used in training.")
    page.mouse.move(5, 400)
    expect(tip).to_be_hidden()


def test_a_tap_explains_it_and_another_one_takes_it_away(visit):
    page = visit("?model=bottleneck-fixed", viewport={"width": 390, "height": 844}, has_touch=True)
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


TOLD = [
    # A text of the app, a word in it, and the term that is meant; none where it means none.
    ("Rest the pointer on it.", "pointer", ""),
    ("A pointer copies a word of the source.", "pointer", "pointer-generator"),
    ("Arrow keys move from head to head.", "keys", ""),
    ("Every query meets every key.", "key", "query"),
    ("“mask” looks at “beam”: 0.61.", "beam", ""),
    ("<strong>seed</strong> looks most at <strong>loss</strong>.", "loss", "cross-entropy"),
    ("<p class='st-key-seen'><strong>seed</strong> looks at <b>it</b>.</p>", "seed", ""),
    ("<p class='st-key-sentence_said'>The beam broke.</p>", "beam", ""),
]
REST_ON = """word => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const at = walker.currentNode.data.search(new RegExp(`\\\\b${word}\\\\b`));
        if (at < 0) continue;
        const range = new Range();
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + word.length);
        const {x, y, width, height} = range.getBoundingClientRect();
        return {x: x + width / 2, y: y + height / 2};
    }
}"""


@pytest.fixture(scope="module")
def page_of_texts(browser):
    """A page with nothing but the texts that it is given, and the script that explains terms."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(glossary.st, "html", lambda body, **how: found.append(body))
        glossary.lend()
    page = browser.new_page()
    page.set_content(f"<main class='stMain'></main>{found[0]}")
    page.evaluate("setTimeout = (call, after) => window.queue = call")
    yield page
    page.close()


@pytest.mark.parametrize(("text", "word", "term"), TOLD)
def test_a_word_is_explained_only_where_the_term_is_meant(page_of_texts, text, word, term):
    page = page_of_texts
    page.mouse.move(5, 400)
    page.evaluate(
        "text => { document.querySelector('.stMain').innerHTML ="
        " `<div data-testid='stMarkdownContainer'>${text}</div>`; }",
        text,
    )
    page.evaluate("queue()")
    place = page.evaluate(REST_ON, word)
    page.mouse.move(place["x"], place["y"])
    page.evaluate("queue()")
    tip = page.locator(".term-tip")
    assert tip.is_visible() == bool(term)
    if term:
        assert tip.locator("strong").inner_text() == term
