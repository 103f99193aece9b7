"""How long after Enter a typed sentence is translated and its pictures stand on the screen.

Run from the repository root: python -m benchmarks.sentence

Every sentence is new, has 12 words, and goes through the app itself with the run of the gallery
that opens first: browser, server, tokenizer, model step by step, the probed pass, payload, canvas.
On the decoding page it is decoded freely and teacher-forced, with every step's rows. The floor is
the attention page answering a switch between two kinds of maps, for which the model has nothing to
do; ratios to it are comparable between computers.
"""

from playwright.sync_api import Page

from benchmarks.measuring import APP, chromium, heading, measured, opened, report, taken
from tests.browser.conftest import served

ANIMALS = ["dog", "cat", "horse", "cow", "rabbit", "goat", "bird", "frog", "turtle"]
ANIMALS += ["mouse", "owl", "bear", "wolf"]
SENTENCE = "The {} did not cross the {} because it was too tired."
MAPS, STEPPER = ".maps", ".decoding"


def main() -> None:
    """Measure both and print them as a table."""
    heading("ms from Enter to drawn")
    with served(APP) as address, chromium() as browser:
        page = opened(browser, f"{address}/?view=maps", f"{MAPS}[data-drawn]")
        floor = measured(lambda i: switch_kind(page, i), page)
        report("other kind (floor)", floor, floor)
        times = measured(lambda i: type_sentence(page, MAPS, i), page)
        report("typed sentence: all maps", times, floor, 200)
        page.close()
        page = opened(browser, f"{address}/decoding", f"{STEPPER}[data-drawn]")
        times = measured(lambda i: type_sentence(page, STEPPER, i), page)
        report("typed sentence: all steps", times, floor, 250)


def switch_kind(page: Page, i: int) -> float | None:
    """Choose the other of two kinds of attention."""
    radio = page.get_by_role("radio", name=("decoder self", "encoder self")[i % 2])
    return taken(page, MAPS, lambda: radio.click(delay=20))


def type_sentence(page: Page, drawn: str, i: int) -> float | None:
    """Type a sentence that was not typed before, and press Enter."""
    place = "street" if drawn == MAPS else "river"
    page.get_by_role("textbox", name="Sentence").fill(SENTENCE.format(ANIMALS[i], place))
    page.wait_for_timeout(200)
    # What the sentence brings along, a caption for example, may put another element in its place.
    return taken(page, drawn, lambda: page.keyboard.press("Enter"))


if __name__ == "__main__":
    main()
