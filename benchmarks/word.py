"""How long after a click on a word all its strips stand on the screen, in the app itself.

Run from the repository root: python -m benchmarks.word

From a click on a word, through the server that runs the page again, to the end of the animation
frame in which the strips of all heads are shown. Pointing at a cell: from the event until the
browser has laid out what it marks. The floor is a page that answers a click with one line of text;
ratios to it are comparable between computers.
"""

import statistics
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks import attention_maps
from benchmarks.attention_maps import CLICK, measured, report
from tests.browser.conftest import launched, served

APP = Path(__file__).parents[1] / "app.py"
CLICKED, POINTED = 100, 16
LONG = " ".join(["The animal didn't cross the street because it was too tired."] * 6)
CASES = {
    "12 heads, 13 tokens": {},
    "is looked at by, 20 heads": {"direction": "is looked at by"},
    "12 heads, 73 tokens": {"sentence": LONG},
}

POINT = """async (root) => {
    const cells = root.querySelector('.groups .cells');
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
    print(f"{'':26}{'median':>8}{'p90':>8}{'ratio':>8}{'target':>8}   ms from click to drawn")
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        with served(attention_maps.APP) as address:
            page = attention_maps.opened(browser, f"{address}/?shape=0x0x0")
            times = measured(page, lambda page, _: attention_maps.click_button(page))
            page.close()
        floor = statistics.median(times)
        report("text alone (floor)", times, floor, None)
        with served(APP) as address:
            for name, query in CASES.items():
                page = opened(browser, address, query)
                report(name, measured(page, click_word("source")), floor, CLICKED)
                report(
                    "  to the other sentence", measured(page, click_word("both")), floor, CLICKED
                )
                report("  pointing at a cell", page.evaluate(POINT, root_of(page)), floor, POINTED)
                page.close()
        browser.close()


def opened(browser: Browser, address: str, query: dict[str, str]) -> Page:
    """Open the view and wait until it is drawn."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{address}/?{urlencode({'view': 'word'} | query)}")
    page.locator(".strips[data-drawn]").wait_for()
    page.wait_for_timeout(1000)
    return page


def click_word(sides: str) -> Callable[[Page, int], float]:
    """Return what clicks one word after the other, of the source or of both sentences in turn."""

    def click(page: Page, i: int) -> float:
        side = "target" if sides == "both" and i % 2 else "source"
        # Never the word that is followed already: the answer to that is nothing.
        chips = page.locator(f".chips.{side} [aria-pressed=false]:not([aria-disabled])")
        chip = chips.nth(i % 8).element_handle()
        return page.evaluate(CLICK, [chip, root_of(page), "watched.dataset.drawn !== before"])

    return click


def root_of(page: Page) -> object:
    """The component's outermost element."""
    return page.locator(".strips").element_handle()


if __name__ == "__main__":
    main()
