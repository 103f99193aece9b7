"""How long after a key press another decoding step stands on the screen, in a real Chromium.

Run from the repository root: python -m benchmarks.decoding_view

Work: from the key press to the end of the style and layout it causes. Frame: to the end of the
animation frame in which the drawing is shown, which the screen's clock rounds up. New steps: from a
click on a Streamlit button, through the server that packs another sentence's steps, to that frame.
The attention maps' change of head is measured in the same run; ratios to it are comparable between
computers.
"""

from pathlib import Path

from playwright.sync_api import Browser, ElementHandle, Page

from benchmarks.attention_maps import other_head, shown
from benchmarks.measuring import (
    MAPS_APP,
    ROUNDS,
    WARM_UP,
    Times,
    chromium,
    clicked,
    heading,
    measured,
    opened,
    read,
    report,
)
from tests.browser.conftest import served

APP = Path(__file__).with_name("decoding_view_app.py")
CASES = {"16 steps, 14 source tokens": "sentence", "60 steps, 60 source tokens": "many"}
STEPPER = ".decoding"
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
    heading("ms")
    with chromium() as browser:
        with served(MAPS_APP) as address:
            page = shown(browser, address, "6x8x32")
            floor = measured(lambda i: other_head(page, i), page)
            page.close()
        report("other head of the attention maps (floor)", floor, floor)
        with served(APP) as address:
            for name, case in CASES.items():
                measure(browser, f"{address}/?case={case}", name, floor)


def measure(browser: Browser, url: str, name: str, floor: Times) -> None:
    """Step through one case, with what folds closed and open, and ask for other sentences."""
    page = opened(browser, url, f"{STEPPER}[data-drawn]")
    print(name)
    button = page.get_by_role("button", name="next", exact=True)
    times = measured(lambda _: clicked(page, STEPPER, button), page)
    report("  new steps, through the server", times, floor)
    if not page.locator(STEPPER).count():
        return
    root = page.locator(STEPPER).element_handle()
    for open_ in (False, True):
        if open_:
            for summary in page.locator("summary").all():
                summary.click()
            page.wait_for_timeout(300)
        pairs = read(lambda: [press(page, root, i) for i in range(WARM_UP + ROUNDS)][WARM_UP:])
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


if __name__ == "__main__":
    main()
