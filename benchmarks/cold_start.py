"""How long after `streamlit run app.py` the first map stands on the screen.

Run from the repository root: python -m benchmarks.cold_start

From the start of the server's process, with the browser already open and an empty cache, to the
first drawing. The floor is an app of one line of text; ratios to it are comparable between
computers.
"""

import statistics
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.attention_maps import report
from tests.browser.conftest import launched, served

APP = Path(__file__).parents[1] / "app.py"
FLOOR = Path(__file__).with_name("attention_maps_app.py")
ROUNDS = 10
TARGET = 3000


def main() -> None:
    """Measure both in turn and print them as a table."""
    print(f"{'':26}{'median':>8}{'p90':>8}{'ratio':>8}{'target':>8}   ms from start to drawn")
    floors, starts = [], []
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        for _ in range(ROUNDS):
            floors.append(milliseconds(browser, FLOOR, "text=clicks: 0"))
            starts.append(milliseconds(browser, APP, ".maps[data-drawn]"))
        browser.close()
    floor = statistics.median(floors)
    report("one line of text (floor)", floors, floor, None)
    report("first map", starts, floor, TARGET)


def milliseconds(browser: Browser, app: Path, drawn: str) -> float:
    """Start a server, open its first page, and wait until it is drawn."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    started = time.perf_counter()
    with served(app) as address:
        page = context.new_page()
        page.goto(address)
        page.locator(drawn).first.wait_for()
        taken = 1000 * (time.perf_counter() - started)
    context.close()
    return taken


if __name__ == "__main__":
    main()
