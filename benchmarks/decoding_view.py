"""How long after a key press another decoding step stands on the screen, in a real Chromium.

Run from the repository root: python -m benchmarks.decoding_view

Work: from the key press to the end of the style and layout it causes. Frame: to the end of the
animation frame in which the drawing is shown, which the screen's clock rounds up. New steps: from a
click on a Streamlit button, through the server that packs another sentence's steps, to that frame.
The attention maps' change of head is measured in the same run; ratios to it are comparable between
computers.
"""

import statistics
from pathlib import Path

from playwright.sync_api import Browser, ElementHandle, Page, sync_playwright

from benchmarks.attention_maps import APP as MAPS_APP
from benchmarks.attention_maps import CLICK, ROUNDS, WARM_UP, click_tile, measured, opened
from tests.browser.conftest import launched, served

APP = Path(__file__).with_name("decoding_view_app.py")
CASES = {"16 steps, 14 source tokens": "sentence", "60 steps, 60 source tokens": "many"}
TARGET = 16

# Milliseconds of work, and until the frame after it; the layout is asked for, that it counts.
PRESS = """async ([node, root, key]) => {
    const start = performance.now();
    node.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    root.getBoundingClientRect().height;
    const work = performance.now() - start;
    return await new Promise((resolve) => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve([work, performance.now() - start]);
        channel.port2.postMessage(0);
    }));
}"""


def main() -> None:
    """Measure every case and print them as a table."""
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        with served(MAPS_APP) as address:
            page = opened(browser, f"{address}/?shape=6x8x32")
            floor = statistics.median(times := measured(page, click_tile))
            page.close()
        print(f"{'':44}{'median':>8}{'p90':>8}{'ratio':>8}{'target':>8}   ms")
        report("other head of the attention maps", times, floor)
        with served(APP) as address:
            for name, case in CASES.items():
                measure(browser, f"{address}/?case={case}", name, floor)
        browser.close()


def measure(browser: Browser, url: str, name: str, floor: float) -> None:
    """Step through one case, with what folds closed and open, and ask for other sentences."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(url)
    page.locator(".decoding[data-drawn]").wait_for()
    page.wait_for_timeout(500)
    root = page.locator(".decoding").element_handle()
    print(name)
    report("  new steps, through the server", measured(page, next_sentence), floor)
    for open_ in (False, True):
        if open_:
            for summary in page.locator("summary").all():
                summary.click()
            page.wait_for_timeout(300)
        pairs = [press(page, root, i) for i in range(WARM_UP + ROUNDS)][WARM_UP:]
        where = "table and chart open" if open_ else "step"
        report(f"  {where}, work", [work for work, _ in pairs], floor, TARGET)
        report(f"  {where}, until the frame", [frame for _, frame in pairs], floor)
    page.close()


def press(page: Page, root: ElementHandle, i: int) -> tuple[float, float]:
    """Go a step on, or back to the first; return the work and the time until the frame."""
    key = "ArrowRight" if i % 12 else "Home"
    node = page.locator(".scrubber").element_handle()
    work, frame = page.evaluate(PRESS, [node, root, key])
    page.wait_for_timeout(150)
    return work, frame


def next_sentence(page: Page, _: int) -> float:
    """Ask the server for another sentence's steps."""
    button = page.get_by_role("button", name="next", exact=True).element_handle()
    root = page.locator(".decoding").element_handle()
    return float(page.evaluate(CLICK, [button, root, "watched.dataset.drawn !== before"]))


def report(name: str, times: list[float], floor: float, target: int | None = None) -> None:
    """Print one line of the table."""
    median, p90 = statistics.median(times), sorted(times)[-2]
    wanted = f"≤ {target}" if target else ""
    print(f"{name:44}{median:8.1f}{p90:8.1f}{median / floor:8.2f}{wanted:>8}", flush=True)


if __name__ == "__main__":
    main()
