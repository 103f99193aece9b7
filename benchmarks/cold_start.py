"""How long after `streamlit run app.py` the first picture stands: the one that the gallery stores.

Run from the repository root: python -m benchmarks.cold_start

From the start of the server's process, with the browser already open and an empty cache, to the
first drawing. The floor is an app of one line of text; ratios to it are comparable between
computers.
"""

import time
from pathlib import Path

from playwright.sync_api import Browser, Error

from benchmarks.measuring import APP, LIMIT, MAPS_APP, ROOT, ROUNDS, TEXT, chromium, heading, report
from tests.browser.conftest import served

TARGET = 3000
FIRST = ":is(.whole, .lines, .maps)[data-drawn]"
"""A picture of heads, whichever an app begins with."""


def main() -> None:
    """Measure both in turn and print them as a table."""
    heading("ms from start to drawn")
    with chromium() as browser:
        pairs = [
            (
                milliseconds(browser, MAPS_APP, TEXT),
                milliseconds(browser, APP, FIRST),
            )
            for _ in range(ROUNDS)
        ]
        floors, starts = (
            [time for time in times if time is not None] for times in zip(*pairs, strict=True)
        )
        report("one line of text (floor)", floors, floors)
        report("first picture", starts, floors, TARGET)


def milliseconds(browser: Browser, app: Path, drawn: str, root: Path = ROOT) -> float | None:
    """Start a server, open its first page, and wait until it is drawn; None where it is missing."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    started = time.perf_counter()
    with served(app, root) as address:
        page = context.new_page()
        page.set_default_timeout(LIMIT)
        try:
            page.goto(address)
            page.locator(drawn).first.wait_for()
            taken = 1000 * (time.perf_counter() - started)
        except Error:
            taken = None
    context.close()
    return taken


if __name__ == "__main__":
    main()
