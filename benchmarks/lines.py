"""How long after a click or a move of the pointer lines stand on the screen, in a real Chromium.

Run from the repository root: python -m benchmarks.lines

Other weights: from a click on a Streamlit button, through the server that packs other weights of
other tokens, to the end of the animation frame in which all of them are drawn. Threshold and
pointer need no server: from an event at the beginning of a frame to that frame's end. The floor is
a page that answers the same click with one line of text; ratios to it are comparable between
computers.
"""

import statistics
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.attention_maps import CLICK, measured, report
from tests.browser.conftest import launched, served

APP = Path(__file__).with_name("lines_app.py")
CASES = {
    "text alone (floor)": ("0x0x0", None, None),
    "8 heads, 64 tokens": ("8x64x64", 100, 16),
    "16 heads, 128 tokens": ("16x128x128", None, 16),
    "4 heads, 512 tokens": ("4x512x512", None, None),
}

# Resolves with the milliseconds from the event to the end of the frame: a message that is posted
# inside of a frame comes once that frame is painted.
EVENT = """([root, what, i]) => new Promise((resolve) => requestAnimationFrame(() => {
    const rows = root.querySelectorAll('.row');
    const slider = root.querySelector('.threshold input');
    const start = performance.now();
    if (what === 'hover') {
        const moved = new PointerEvent('pointermove', { bubbles: true });
        rows[(7 * i) % rows.length].dispatchEvent(moved);
    } else {
        slider.value = 0.02 + 0.01 * (i % 5);
        slider.dispatchEvent(new Event('input'));
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now() - start);
    port2.postMessage(0);
}))"""


def main() -> None:
    """Measure every case and print them as a table."""
    print(f"{'':26}{'median':>8}{'p90':>8}{'ratio':>8}{'target':>8}   ms from event to drawn")
    floor = 0.0
    with served(APP) as address, sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        for name, (shape, click_target, hover_target) in CASES.items():
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(f"{address}/?shape={shape}")
            page.get_by_text("clicks: 0").wait_for()
            if name != "text alone (floor)":
                page.locator(".lines[data-whole]").wait_for()
            page.wait_for_timeout(500)
            times = measured(page, lambda page, _: click_button(page))
            floor = floor or statistics.median(times)
            report(name, times, floor, click_target)
            if name != "text alone (floor)":
                hovers = measured(page, lambda page, i: event(page, "hover", i))
                report("  pointer on a token", hovers, floor, hover_target)
                moves = measured(page, lambda page, i: event(page, "threshold", i))
                report("  other threshold", moves, floor, None)
            page.close()
        browser.close()


def click_button(page: Page) -> float:
    """Ask the server for other weights (or, without lines, for another number)."""
    button = page.get_by_role("button", name="next").element_handle()
    if page.locator(".lines").count() == 0:
        watched = page.locator("body").element_handle()
        return page.evaluate(CLICK, [button, watched, "watched.innerText !== before"])
    root = page.locator(".lines").element_handle()
    # Very many lines are drawn in several frames; the last one says so.
    ready = "watched.dataset.drawn !== before && watched.dataset.whole === 'true'"
    return page.evaluate(CLICK, [button, root, ready])


def event(page: Page, what: str, i: int) -> float:
    """Move the pointer to a token, or the slider to another threshold, inside the browser."""
    root = page.locator(".lines").element_handle()
    return page.evaluate(EVENT, [root, what, i])


if __name__ == "__main__":
    main()
