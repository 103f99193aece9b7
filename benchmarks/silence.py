"""How long after a click on a head the sentence without it stands on the screen, in the app.

Run from the repository root: python -m benchmarks.silence

From the click, through the server that translates the sentence with other heads silent, to the
last thing that is drawn: grid, translation, chart. Every click is on another head, so that nothing
is remembered. The floor is a page that answers a click with one line of text; ratios to it are
comparable between computers.
"""

from collections.abc import Callable
from urllib.parse import urlencode

from playwright.sync_api import Page

from benchmarks.lessons import measured, opened
from benchmarks.measuring import APP, chromium, floor, heading, report
from tests.browser.conftest import served

SENTENCE = "The animal didn't cross the street because it was too tired."
"""Twelve words and signs."""
DRAWN = 200
LAYERS = (3, 2, 2)
"""Of the panels of the run that is opened."""
HEADS = 4


def main() -> None:
    """Measure each way of changing a head, and print them as a table."""
    heading("ms from click to drawn")
    with chromium() as browser:
        text = floor(browser)
        report("text alone (floor)", text, text, DRAWN)
        with served(APP) as address:
            for instead in ("silence", "uniform", "average"):
                page = opened(browser, link(address, instead))
                report(f"another head: {instead}", measured(page, other_head(page)), text, DRAWN)
                page.close()


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
