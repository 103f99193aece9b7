"""How long after a click the attention maps stand on the screen, in a real Chromium.

Run from the repository root: python -m benchmarks.attention_maps

New maps: from a click on a Streamlit button, through the server that packs another sentence's maps,
to the end of the animation frame in which the component's drawing is shown. Other head: the same
from a click on a thumbnail to the large map, which needs no server. The floor is a page that
answers the same click with one line of text; ratios to it are comparable between computers.

Pointing, zooming and moving need no server either: from the event to the finished layout of what it
changes, without the wait for the screen's next frame; a frame has 16 ms.
"""

from functools import partial

from playwright.sync_api import Browser, Page

from benchmarks.measuring import (
    MAPS_APP,
    TEXT,
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

MAPS = ".maps"
DRAWN = ".maps[data-drawn]"
CASES = {
    "text alone (floor)": ("0x0x0", None),
    "48 maps, 32 tokens": ("6x8x32", 60),
    "48 maps, 128 tokens": ("6x8x128", 120),
    "192 maps, 128 tokens": ("12x16x128", None),
    "144 maps, 512 tokens": ("12x12x512", None),
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


def main() -> None:
    """Measure every case and print them as a table."""
    heading("ms from click to drawn")
    floor: Times = []
    with served(MAPS_APP) as address, chromium() as browser:
        for name, (shape, target) in CASES.items():
            page = shown(browser, address, shape)
            times = measured(lambda _, page=page: new_maps(page), page)
            floor = floor or times
            report(name, times, floor, target)
            if not shape.startswith(("0", "1x")):
                times = measured(lambda i, page=page: other_head(page, i), page)
                report("  other head, same page", times, floor)
            if target or "12x" in shape:
                report_events(page, floor, zooms="x32" not in shape)
            page.close()


def shown(browser: Browser, address: str, shape: str) -> Page:
    """Open maps of a shape, layers × heads × tokens, and wait until they are drawn."""
    return opened(browser, f"{address}/?shape={shape}", TEXT if shape == "0x0x0" else DRAWN)


def new_maps(page: Page) -> float | None:
    """Ask the server for other maps (or, without maps, for another number)."""
    drawn = MAPS if page.locator(MAPS).count() else TEXT
    return clicked(page, drawn, page.get_by_role("button", name="next"))


def other_head(page: Page, i: int) -> float | None:
    """Choose another head in the browser."""
    return clicked(page, MAPS, page.locator(".tile").nth(1 + 5 * i % 47))


def report_events(page: Page, floor: Times, *, zooms: bool) -> None:
    """Print how long the pointer and, where there is a zoom, the keys take to be answered."""
    if not page.locator(".cells").count():
        return
    cells = page.locator(".cells").element_handle()
    page.locator(".cells").focus()
    for kind in ("point", "zoom", "go on") if zooms else ("point",):
        if kind == "go on":
            page.keyboard.press("Enter")
        times = read(partial(page.evaluate, EVENTS, [cells, kind, 48]))
        report(f"  {kind}, same page", times, floor, FRAME)


if __name__ == "__main__":
    main()
