"""How long after a click the attention maps stand on the screen, in a real Chromium.

Run from the repository root: python -m benchmarks.attention_maps

New maps: from a click on a Streamlit button, through the server that packs another sentence's maps,
to the end of the animation frame in which the component's drawing is shown. Other head: the same
from a click on a thumbnail to the large map, which needs no server. The floor is a page that
answers the same click with one line of text; ratios to it are comparable between computers.

Pointing, zooming and moving need no server either: from the event to the finished layout of what it
changes, without the wait for the screen's next frame; a frame has 16 ms.
"""

import statistics
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import launched, served

APP = Path(__file__).with_name("attention_maps_app.py")
ROUNDS, WARM_UP = 10, 3
CASES = {
    "text alone (floor)": ("0x0x0", None),
    "48 maps, 32 tokens": ("6x8x32", 60),
    "48 maps, 128 tokens": ("6x8x128", 120),
    "192 maps, 128 tokens": ("12x16x128", None),
    "one map, 512 tokens": ("1x1x512", 80),
}
FRAME = 16

# Sends an event to the map, as often as asked for, and returns how long each took.
EVENTS = """([cells, kind, times]) => Array.from({ length: times }, (_, i) => {
    const box = cells.getBoundingClientRect();
    const at = { bubbles: true, cancelable: true, pointerId: 1,
        clientX: box.left + box.width * (0.2 + 0.6 * ((i * 7) % times) / times),
        clientY: box.top + box.height * (0.2 + 0.6 * i / times) };
    const key = { 'zoom': i % 8 < 4 ? '+' : '-', 'go on': i % 2 ? 'PageUp' : 'PageDown' }[kind];
    const event = key ? new KeyboardEvent('keydown', { ...at, key })
        : new PointerEvent('pointermove', at);
    const start = performance.now();
    cells.dispatchEvent(event);
    cells.parentElement.getBoundingClientRect();
    return performance.now() - start;
})"""

# Resolves with the milliseconds from the click until a frame has passed since `ready` was first
# true; it is asked after every change of the watched tree.
CLICK = """async ([node, watched, ready]) => {
    const done = new Function('watched', 'before', `return ${ready}`);
    const root = watched.getRootNode() === document ? document.body : watched;
    const before = root.dataset?.drawn ?? root.innerText;
    return await new Promise((resolve) => {
        const start = performance.now();
        const observer = new MutationObserver(() => {
            if (!done(root, before)) return;
            observer.disconnect();
            const taken = () => resolve(performance.now() - start);
            requestAnimationFrame(() => requestAnimationFrame(taken));
        });
        observer.observe(root, {
            attributes: true, childList: true, characterData: true, subtree: root === document.body,
        });
        node.click();
    });
}"""


def main() -> None:
    """Measure every case and print them as a table."""
    print(f"{'':26}{'median':>8}{'p90':>8}{'ratio':>8}{'target':>8}   ms from click to drawn")
    floor = 0.0
    with served(APP) as address, sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        for name, (shape, target) in CASES.items():
            page = opened(browser, f"{address}/?shape={shape}")
            times = measured(page, lambda page, _: click_button(page))
            floor = floor or statistics.median(times)
            report(name, times, floor, target)
            if "x" in shape and not shape.startswith(("0", "1x")):
                report("  other head, same page", measured(page, click_tile), floor, None)
            if target or "12x" in shape:
                report_events(page, floor, zooms="x32" not in shape)
            page.close()
        browser.close()


def opened(browser: Browser, url: str) -> Page:
    """Open the page and wait until it is drawn."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(url)
    page.get_by_text("clicks: 0").wait_for()
    if "0x0" not in url:
        page.locator(".maps[data-drawn]").wait_for()
    page.wait_for_timeout(500)
    return page


def measured(page: Page, click: Callable[[Page, int], float]) -> list[float]:
    """Repeat a click, with a pause in between so that each begins on a quiet page."""
    times = []
    for i in range(WARM_UP + ROUNDS):
        times.append(click(page, i))
        page.wait_for_timeout(250)
    return times[WARM_UP:]


def click_button(page: Page) -> float:
    """Ask the server for other maps (or, without maps, for another number)."""
    button = page.get_by_role("button", name="next").element_handle()
    if page.locator(".maps").count() == 0:
        watched = page.locator("body").element_handle()
        return page.evaluate(CLICK, [button, watched, "watched.innerText !== before"])
    return page.evaluate(CLICK, [button, root_of(page), "watched.dataset.drawn !== before"])


def click_tile(page: Page, i: int) -> float:
    """Choose another head in the browser."""
    tile = page.locator(".tile").nth(1 + 5 * i % 47).element_handle()
    return page.evaluate(CLICK, [tile, root_of(page), "watched.dataset.drawn !== before"])


def report_events(page: Page, floor: float, *, zooms: bool) -> None:
    """Print how long the pointer and, where there is a zoom, the keys take to be answered."""
    cells = page.locator(".cells").element_handle()
    page.locator(".cells").focus()
    for kind in ("point", "zoom", "go on") if zooms else ("point",):
        if kind == "go on":
            page.keyboard.press("Enter")
        times = page.evaluate(EVENTS, [cells, kind, 48])
        report(f"  {kind}, same page", times, floor, FRAME)


def root_of(page: Page) -> object:
    """The component's outermost element."""
    return page.locator(".maps").element_handle()


def report(name: str, times: list[float], floor: float, target: int | None) -> None:
    """Print one line of the table."""
    median, p90 = statistics.median(times), sorted(times)[-2]
    wanted = f"≤ {target}" if target else ""
    print(f"{name:26}{median:8.1f}{p90:8.1f}{median / floor:8.2f}{wanted:>8}", flush=True)


if __name__ == "__main__":
    main()
