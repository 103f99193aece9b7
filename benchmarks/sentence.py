"""How long after Enter a typed sentence is translated and its pictures stand on the screen.

Run from the repository root: python -m benchmarks.sentence

Every sentence is new, has 12 words, and goes through the app itself with the run of the gallery
that opens first: browser, server, tokenizer, model step by step, the probed pass, payload, canvas.
On the decoding page it is decoded freely and teacher-forced, with every step's rows. The floor is
the attention page answering a switch between two kinds of maps, for which the model has nothing to
do; ratios to it are comparable between computers.
"""

import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.attention_maps import ROUNDS, WARM_UP, report
from tests.browser.conftest import launched, served

APP = Path(__file__).parents[1] / "app.py"
ANIMALS = ["dog", "cat", "horse", "cow", "rabbit", "goat", "bird", "frog", "turtle"]
ANIMALS += ["mouse", "owl", "bear", "wolf"]
SENTENCE = "The {} did not cross the {} because it was too tired."
MAPS, STEPPER = ".maps", ".decoding"

# Begins to count at the next press of a key or button, and ends when a frame has passed since the
# maps were drawn anew.
WATCH = """(drawing) => {
    const find = (node) => node.querySelector?.(drawing) ?? [...node.querySelectorAll('*')]
        .map((child) => child.shadowRoot?.querySelector(drawing)).find(Boolean);
    const root = find(document);
    const before = root.dataset.drawn;
    window.taken = new Promise((resolve) => {
        let start;
        const begin = () => { start ??= performance.now(); };
        window.addEventListener('keydown', begin, { capture: true, once: true });
        window.addEventListener('mousedown', begin, { capture: true, once: true });
        const observer = new MutationObserver(() => {
            if (root.dataset.drawn === before) return;
            observer.disconnect();
            requestAnimationFrame(() => requestAnimationFrame(
                () => resolve(performance.now() - start)));
        });
        observer.observe(root, { attributes: true });
    });
}"""


def main() -> None:
    """Measure both and print them as a table."""
    print(f"{'':26}{'median':>8}{'p90':>8}{'ratio':>8}{'target':>8}   ms from Enter to drawn")
    with served(APP) as address, sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address)
        page.locator(".maps[data-drawn]").wait_for()
        switches = measured(page, switch_kind)
        sentences = measured(page, partial(type_sentence, MAPS))
        page.goto(f"{address}/decoding")
        page.locator(f"{STEPPER}[data-drawn]").wait_for()
        decodings = measured(page, partial(type_sentence, STEPPER))
        browser.close()
    floor = statistics.median(switches)
    report("other kind (floor)", switches, floor, None)
    report("typed sentence: all maps", sentences, floor, 200)
    report("typed sentence: all steps", decodings, floor, 250)


def measured(page: Page, act: Callable[[Page, int], float]) -> list[float]:
    """Repeat an action, with a pause in between so that each begins on a quiet page."""
    times = []
    for i in range(WARM_UP + ROUNDS):
        page.wait_for_timeout(400)
        times.append(act(page, i))
    return times[WARM_UP:]


def switch_kind(page: Page, i: int) -> float:
    """Choose the other of two kinds of attention."""
    name = ("decoder self", "encoder self")[i % 2]
    page.evaluate(WATCH, MAPS)
    page.get_by_role("radio", name=name).click()
    return page.evaluate("window.taken")


def type_sentence(drawing: str, page: Page, i: int) -> float:
    """Type a sentence that was not typed before, and press Enter."""
    page.get_by_role("textbox", name="Sentence").fill(
        SENTENCE.format(ANIMALS[i], "street" if drawing == MAPS else "river")
    )
    page.wait_for_timeout(200)
    page.evaluate(WATCH, drawing)
    page.keyboard.press("Enter")
    return page.evaluate("window.taken")


if __name__ == "__main__":
    main()
