"""How long after a click or a move of the pointer lines stand on the screen, in a real Chromium.

Run from the repository root: python -m benchmarks.lines

Other weights: from a click on a Streamlit button, through the server that packs other weights of
other tokens, to the end of the animation frame in which all of them are drawn. Threshold and
pointer need no server: from an event at the beginning of a frame to that frame's end. The floor is
a page that answers the same click with one line of text; ratios to it are comparable between
computers.
"""

from pathlib import Path

from playwright.sync_api import Page

from benchmarks.measuring import TEXT, Times, chromium, clicked, heading, measured, opened, report
from tests.browser.conftest import served

APP = Path(__file__).with_name("lines_app.py")
LINES = ".lines"
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
    heading("ms from event to drawn")
    floor: Times = []
    with served(APP) as address, chromium() as browser:
        for name, (shape, click_target, hover_target) in CASES.items():
            drawn = LINES if floor else TEXT
            whole = ".lines[data-whole]" if floor else TEXT
            page = opened(browser, f"{address}/?shape={shape}", whole)
            button = page.get_by_role("button", name="next")
            times = measured(
                lambda _, page=page, drawn=drawn, button=button: clicked(page, drawn, button), page
            )
            report(name, times, floor or times, click_target)
            if floor:
                hovers = measured(lambda i, page=page: event(page, "hover", i), page)
                report("  pointer on a token", hovers, floor, hover_target)
                moves = measured(lambda i, page=page: event(page, "threshold", i), page)
                report("  other threshold", moves, floor)
            floor = floor or times
            page.close()


def event(page: Page, what: str, i: int) -> float:
    """Move the pointer to a token, or the slider to another threshold, inside the browser."""
    root = page.locator(LINES).element_handle()
    return float(page.evaluate(EVENT, [root, what, i]))


if __name__ == "__main__":
    main()
