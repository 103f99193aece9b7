"""How long after a click on a head the sentence without it stands on the screen, in the app.

Run from the repository root: python -m benchmarks.silence

From the click, through the server that translates the sentence with other heads silent, to the
last thing that is drawn: grid, translation, chart. Every click is on another head, so that nothing
is remembered. The floor is a page that answers a click with one line of text; ratios to it are
comparable between computers.
"""

import statistics
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from benchmarks import attention_maps
from benchmarks.lessons import measured, opened, report
from tests.browser.conftest import launched, served

APP = Path(__file__).parents[1] / "app.py"
SENTENCE = "The animal didn't cross the street because it was too tired."
"""Twelve words and signs."""
DRAWN = 200
LAYERS = (3, 2, 2)
"""Of the panels of the run that is opened."""
HEADS = 4


def main() -> None:
    """Measure each way of changing a head, and print them as a table."""
    print(f"{'':46}{'median':>8}{'p90':>8}{'ratio':>8}{'target':>8}   ms from click to drawn")
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        with served(attention_maps.APP) as address:
            page = opened(browser, f"{address}/?shape=0x0x0", ".stButton")
            button = page.get_by_role("button", name="next")
            times = measured(page, lambda _: button.click(delay=20))
            floor = statistics.median(times)
            report("text alone (floor)", times, floor, DRAWN)
            page.close()
        with served(APP) as address:
            for instead in ("silence", "uniform", "average"):
                page = opened(browser, link(address, instead))
                report(f"another head: {instead}", measured(page, other_head(page)), floor, DRAWN)
                page.close()
        browser.close()


def link(address: str, instead: str) -> str:
    """Return the address of the view without any head silenced."""
    asked = {"trial": "silence", "sentence": SENTENCE, "instead": instead, "silent": "none"}
    return f"{address}/heads?{urlencode(asked)}"


def other_head(page: Page) -> Callable[[int], None]:
    """Return what clicks one head of the grid after the other."""
    grids = page.locator(".matrices").first.locator(".panel")
    places = [
        (panel, row, head)
        for panel, layers in enumerate(LAYERS)
        for row in range(layers)
        for head in range(HEADS)
    ]

    def go(i: int) -> None:
        panel, row, head = places[i % len(places)]
        cells = grids.nth(panel).locator(".cells")
        box = cells.bounding_box()
        assert box is not None
        x, y = (head + 0.5) / HEADS * box["width"], (row + 0.5) / LAYERS[panel] * box["height"]
        cells.click(position={"x": x, "y": y}, delay=20)

    return go


if __name__ == "__main__":
    main()
