"""What the benchmarks of the app share: a server and a browser, a clock, and a table of ratios.

A step that does not come within 30 seconds is missing: that is what is printed for it, the next one
goes on, and in the end the benchmark has failed.
"""

import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from playwright.sync_api import Browser, Error, Locator, Page, sync_playwright

from tests.browser.chromium import launched
from tests.browser.conftest import served

ROOT = Path(__file__).resolve().parents[1]
APP, MAPS_APP = ROOT / "app.py", ROOT / "benchmarks" / "attention_maps_app.py"
ROUNDS, WARM_UP = 10, 3
LIMIT = 30_000
"""Milliseconds after which a step is missing."""
TEXT = ".stText"
"""What the floor changes: one line of text."""

# Counts from the next press of a key or button until a frame has passed in which what the selector
# finds was drawn anew, or is another element than before. None where that does not come.
WATCH = """([selector, limit]) => {
    const find = (node) => node.querySelector(selector) ?? [...node.querySelectorAll('*')]
        .map(({ shadowRoot }) => shadowRoot && find(shadowRoot)).find(Boolean);
    const state = (node) => node?.dataset.drawn ?? node?.textContent;
    const first = find(document);
    const before = state(first);
    const isNew = (node) => node && node.dataset.whole !== 'false' && state(node) !== undefined
        && (node !== first || state(node) !== before);
    window.taken = new Promise((resolve) => {
        const armed = performance.now();
        let [start, node] = [null, first];
        // What is pressed with the mouse counts from the click.
        const begin = () => { start = performance.now(); };
        const over = new AbortController();
        for (const name of ['keydown', 'mousedown', 'click']) {
            window.addEventListener(name, begin, { capture: true, signal: over.signal });
        }
        const look = () => {
            if (!node?.isConnected) node = find(document);
            if (start !== null && isNew(node)) {
                over.abort();
                requestAnimationFrame(() => resolve(performance.now() - start));
            } else if (performance.now() - armed > limit) {
                over.abort();
                resolve(null);
            } else {
                requestAnimationFrame(look);
            }
        };
        requestAnimationFrame(look);
    });
}"""

Measured = TypeVar("Measured")
Times = list[float]
"""Milliseconds; none where the step is missing."""
_missing: list[str] = []
"""What did not come in this process."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser for as long as the context lasts; end the program where a step is missing.

    Raises:
        SystemExit: Something was missing; the message names it.
    """
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        yield browser
        browser.close()
    if _missing:
        sys.exit(f"missing: {', '.join(_missing)}")


def opened(browser: Browser, url: str, drawn: str) -> Page:
    """Open a page and wait until something is drawn on it, or until that is missing."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(LIMIT)
    try:
        page.goto(url)
        page.locator(drawn).first.wait_for()
    except Error:
        print(f"{drawn}: missing on {url}", flush=True)
        _missing.append(drawn)
    page.wait_for_timeout(500)
    return page


def taken(page: Page, drawn: str, act: Callable[[], object]) -> float | None:
    """Return the milliseconds from what is pressed until something is drawn anew."""
    page.evaluate(WATCH, [drawn, LIMIT])
    act()
    found = page.evaluate("window.taken")
    return None if found is None else float(found)


def clicked(page: Page, drawn: str, node: Locator) -> float | None:
    """Return the milliseconds from a click, as the browser itself does it, until all is drawn."""
    return taken(page, drawn, lambda: node.evaluate("node => node.click()"))


def measured(act: Callable[[int], float | None], page: Page, pause: int = 250) -> Times:
    """Repeat an action, each time on a quiet page; the first one that is missing is the last."""
    times: Times = []
    for i in range(WARM_UP + ROUNDS):
        page.wait_for_timeout(pause)
        try:
            found = act(i)
        except Error:
            found = None
        if found is None:
            return []
        times.append(found)
    return times[WARM_UP:]


def read(script: Callable[[], list[Measured]]) -> list[Measured]:
    """Return what scripts in the page have measured, or nothing where they could not."""
    try:
        return script()
    except Error:
        return []


def floor(browser: Browser) -> Times:
    """Return how long a page takes that answers a click with one line of text."""
    with served(MAPS_APP) as address:
        page = opened(browser, f"{address}/?shape=0x0x0", TEXT)
        button = page.get_by_role("button", name="next")
        times = measured(lambda _: clicked(page, TEXT, button), page)
        page.close()
    return times


def heading(unit: str) -> None:
    """Print the names of the table's columns."""
    print(f"{'':46}{'median':>8}{'p90':>8}{'ratio':>8}{'target':>8}   {unit}")


def report(name: str, times: Times, floor: Times, target: float | None = None) -> None:
    """Print one line of the table."""
    wanted = f"≤ {target}" if target else ""
    if not times:
        print(f"{name:46}{'missing':>8}{'':16}{wanted:>8}", flush=True)
        _missing.append(name)
        return
    median, p90 = statistics.median(times), sorted(times)[max(0, len(times) - 2)]
    ratio = f"{median / statistics.median(floor):.2f}" if floor else "missing"
    print(f"{name:46}{median:8.1f}{p90:8.1f}{ratio:>8}{wanted:>8}", flush=True)
