"""How fast the picture of a whole pass is: first paint, a step, and the bytes of a sentence.

Run from the repository root: python -m benchmarks.whole

A step needs no server: from the key that is pressed at the beginning of a frame to that frame's
end, and the part of it in which the main thread draws. The first paint counts from the request of
the start page to the picture, in a browser that has kept nothing; its floor is a page with one line
of text, from a server of its own.
"""

from pathlib import Path
from time import perf_counter

from playwright.sync_api import Browser, Page

from benchmarks.measuring import (
    APP,
    MAPS_APP,
    TEXT,
    Times,
    chromium,
    heading,
    measured,
    opened,
    report,
)
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.forward_pass import forward_pass
from pages.frame.passes import whole_of
from tests.browser.apps import whole_cases
from tests.browser.conftest import ROOT, served
from viz.whole.whole import pack

COMPONENT = ROOT / "tests/browser/apps/all_app.py"
WHOLE = ".whole[data-drawn]"
CASES = {"3 + 2 layers, 4 heads, 16 words": "known", "6 + 6 layers, 8 heads, 30 words": "deep"}
SENTENCE = "The animal didn't cross the street because it was too tired."
TARGET, BYTES = 16, 64_000

# The milliseconds in which the handler ran, and those to the end of the frame.
STEP = """([root, key]) => new Promise((resolve) => requestAnimationFrame(() => {
    const slider = root.querySelector('.slider');
    const start = performance.now();
    slider.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const drawn = performance.now() - start;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve([drawn, performance.now() - start]);
    port2.postMessage(0);
}))"""


def main() -> None:
    """Print a table for each of the three."""
    with chromium() as browser:
        heading("ms of a step")
        with served(COMPONENT) as address:
            for name, case in CASES.items():
                page = opened(browser, f"{address}/?app=whole&case={case}", WHOLE)
                steps: list[list[float]] = []
                frames = measured(lambda i, page=page, steps=steps: step(page, i, steps), page)
                drawing = [drawn for drawn, _ in steps[-len(frames) :]]
                report(name, frames, frames)
                report("  main thread", drawing, frames, TARGET)
                page.close()
        heading("ms to the first paint")
        floor = first_paint(browser, MAPS_APP, "?shape=0x0x0", TEXT)
        report("text alone (floor)", floor, floor)
        report("start", first_paint(browser, APP, "", WHOLE), floor)
    print("\nbytes of a sentence")
    run = load_run(Path("gallery/everyday"))
    found = forward_pass(run, inspect_sentence(run, SENTENCE))
    print(f"everyday: {len(pack(whole_of(run, found, 'title', None)))} (at most {BYTES})")
    for name, case in CASES.items():
        print(f"{name}: {len(pack(whole_cases.CASES[case]()))}")


def step(page: Page, i: int, steps: list[list[float]]) -> float:
    """Go a step on or back, inside the browser."""
    root = page.locator(".whole").element_handle()
    steps.append(page.evaluate(STEP, [root, "ArrowLeft" if i % 2 else "ArrowRight"]))
    return steps[-1][1]


def first_paint(browser: Browser, app: Path, query: str, drawn: str) -> Times:
    """Return how long a visitor waits who comes for the first time, to a server that runs."""
    times: Times = []
    with served(app) as address:
        for _ in range(13):
            context = browser.new_context(viewport={"width": 1280, "height": 720})
            page = context.new_page()
            start = perf_counter()
            page.goto(f"{address}/{query}", wait_until="commit")
            page.locator(drawn).first.wait_for(timeout=60_000)
            times.append(1000 * (perf_counter() - start))
            context.close()
    return times[3:]


if __name__ == "__main__":
    main()
