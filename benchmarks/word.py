"""How long after a click on a word all its strips stand on the screen, in the app itself.

Run from the repository root: python -m benchmarks.word

From a click on a word, through the server that runs the page again, to the end of the animation
frame in which the strips of all heads are shown. Pointing at a cell: from the event until the
browser has laid out what it marks. The floor is a page that answers a click with one line of text;
ratios to it are comparable between computers.
"""

from urllib.parse import urlencode

from playwright.sync_api import Page

from benchmarks.measuring import (
    APP,
    LIMIT,
    chromium,
    clicked,
    floor,
    heading,
    measured,
    opened,
    read,
    report,
)
from tests.browser.conftest import served

STRIPS = ".strips"
CLICKED, POINTED = 100, 16
LONG = " ".join(["The animal didn't cross the street because it was too tired."] * 6)
CASES = {
    "12 heads, 13 tokens": {},
    "is looked at by, 20 heads": {"direction": "is looked at by"},
    "12 heads, 73 tokens": {"sentence": LONG},
}

POINT = """async (root) => {
    const cells = root.querySelector('.panel .cells');
    const box = cells.getBoundingClientRect();
    const times = [];
    for (let i = 0; i < 40; i += 1) {
        const at = {
            clientX: box.left + ((7 * i) % 40 + 0.5) * box.width / 40,
            clientY: box.top + ((11 * i) % 40 + 0.5) * box.height / 40,
            bubbles: true, composed: true,
        };
        const start = performance.now();
        cells.dispatchEvent(new PointerEvent('pointermove', at));
        root.getBoundingClientRect();
        times.push(performance.now() - start);
        await new Promise(requestAnimationFrame);
    }
    return times;
}"""


def main() -> None:
    """Measure every case and print them as a table."""
    heading("ms from click to drawn")
    with chromium() as browser:
        text = floor(browser)
        report("text alone (floor)", text, text)
        with served(APP) as address:
            for name, query in CASES.items():
                link = f"{address}/?{urlencode({'view': 'word'} | query)}"
                page = opened(browser, link, f"{STRIPS}[data-drawn]")
                report_clicks(page, name, text)
                page.close()


def report_clicks(page: Page, name: str, text: list[float]) -> None:
    """Print how long clicks on words and the pointer take to be answered."""
    report(name, measured(lambda i: other_word(page, "source", i), page), text, CLICKED)
    sides = ("source", "target")
    times = measured(lambda i: other_word(page, sides[i % 2], i), page)
    report("  to the other sentence", times, text, CLICKED)
    strips = page.locator(STRIPS)
    pointed = read(lambda: strips.evaluate(POINT, timeout=LIMIT))
    report("  pointing at a cell", pointed, text, POINTED)


def other_word(page: Page, side: str, i: int) -> float | None:
    """Click a word that is not followed already: the answer to that is nothing."""
    chips = page.locator(f".chips.{side} [aria-pressed=false]:not([aria-disabled])")
    return clicked(page, STRIPS, chips.nth(i % 8))


if __name__ == "__main__":
    main()
