"""How long after "Next" a step of a head stands on the screen, in the app itself.

Run from the repository root: python -m benchmarks.steps

From the click, through the server that runs the page again, to the last thing that is drawn: text,
formula, matrices, and the terms below them. Every step is measured by itself, with all of them gone
through again and again; so is a click on a cell. The floor is a page that answers a click with one
line of text; ratios to it are comparable between computers.
"""

import itertools
from collections.abc import Callable
from urllib.parse import urlencode

from playwright.sync_api import Page

from benchmarks.lessons import measured, opened
from benchmarks.measuring import APP, chromium, floor, heading, report
from core.studies.heads.stages import Stage
from tests.browser.conftest import served

SENTENCE = "The animal didn't cross the street because it was too tired."
DRAWN = 150
BUTTONS = ("Previous step", "Next step")
STAGES = [
    stage
    for stage in Stage
    # The run that opens first has positions that are added.
    if stage not in (Stage.TURNED_QUERIES, Stage.TURNED_KEYS, Stage.POSITION_BIAS)
]


def main() -> None:
    """Measure every step and print them as a table."""
    heading("ms from click to drawn")
    with chromium() as browser:
        text = floor(browser)
        report("text alone (floor)", text, text, DRAWN)
        with served(APP) as address:
            for before, stage in itertools.pairwise(STAGES):
                page = opened(browser, link(address, before))
                report(f"to {stage}", measured(page, going_on(page)), text, DRAWN)
                page.close()
            page = opened(browser, link(address, Stage.SOFTMAX))
            report("another cell", measured(page, other_cell(page)), text, DRAWN)
            page.close()


def link(address: str, stage: Stage) -> str:
    """Return the address of a stage."""
    return f"{address}/?{urlencode({'view': 'steps', 'sentence': SENTENCE, 'stage': stage})}"


def going_on(page: Page) -> Callable[[int], None]:
    """Return what goes on to the next step; the clock begins anew with the click that does."""
    back, forth = (page.get_by_role("button", name=name) for name in BUTTONS)

    def go(i: int) -> None:
        if i:
            back.click()
            page.evaluate("window.settled(300)")
        forth.click(delay=20)

    return go


def other_cell(page: Page) -> Callable[[int], None]:
    """Return what clicks one cell of the weights after the other."""
    cells = page.locator(".matrices").first.locator(".panel").nth(1).locator(".cells")

    def go(i: int) -> None:
        box = cells.bounding_box()
        assert box is not None
        at = {"x": box["width"] * (0.1 + 0.06 * (i % 13)), "y": box["height"] / 2}
        cells.click(position=at, delay=20)

    return go


if __name__ == "__main__":
    main()
