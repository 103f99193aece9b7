"""Two checkouts of the app against each other, in one run.

Run from the repository root: python -m benchmarks.compare OLD NEW [MEASURE ...]

Each measure has a server of its own from each checkout; clicks on the old and on the new one take
turns, so that what else the computer does meets both. A start counts from the beginning of the
server's process to the first picture, in a browser that has kept nothing. Nothing is imported from
either: what is asked for are addresses and elements that both have. Printed are medians of 10,
their ratio, and the floor, a page of the new checkout that answers a click with one line of text;
what does not come within 30 seconds, or is not there, is missing.
"""

import re
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Error, Page

from benchmarks.cold_start import FIRST, milliseconds
from benchmarks.measuring import ROUNDS, TEXT, WARM_UP, chromium, clicked, opened, taken
from tests.browser.conftest import served

Act = Callable[[Page, int], float | None]
MAPS_PAGE = "benchmarks/attention_maps_app.py"
SENTENCE = "The animal didn't cross the street because it was too tired."
ANIMALS = ["dog", "cat", "horse", "cow", "rabbit", "goat", "bird", "frog", "turtle"]
ANIMALS += ["mouse", "owl", "bear", "wolf"]
TYPED = "The {} did not cross the street because it was too tired."


@dataclass(frozen=True, slots=True)
class Measure:
    """Something to do again and again on a page."""

    name: str
    app: str
    link: str
    drawn: str
    act: Act


def next_maps(page: Page, _: int) -> float | None:
    """Ask for other maps, or for another line of text."""
    drawn = ".maps" if page.locator(".maps").count() else TEXT
    return clicked(page, drawn, page.get_by_role("button", name="next"))


def other_head(page: Page, i: int) -> float | None:
    """Click another head's tile."""
    return clicked(page, ".maps", page.locator(".tile[aria-pressed=false], .tile").nth(i % 4))


def other_kind(page: Page, i: int) -> float | None:
    """Choose another kind of attention."""
    name = ("decoder self", "encoder self")[i % 2]
    radio = page.get_by_role("radio", name=name, exact=True)
    return taken(page, ".maps", lambda: radio.click(delay=20))


def other_word(page: Page, i: int) -> float | None:
    """Click another word."""
    chips = page.locator(".chips.source [aria-pressed=false]:not([aria-disabled])")
    return clicked(page, ".strips", chips.nth(i % 8))


def next_step(page: Page, i: int) -> float | None:
    """Go on to the next step, or back to the one before."""
    name = re.compile(("Next", "Back|Previous")[i % 2])
    return clicked(page, ".matrices", page.get_by_role("button", name=name))


def other_silence(page: Page, i: int) -> float | None:
    """Click one head of the first grid after the other."""
    cells = page.locator(".matrices").first.locator(".panel").first.locator(".cells")
    box = cells.bounding_box()
    if box is None:
        return None
    at = {"x": box["width"] * (i % 4 + 0.5) / 4, "y": box["height"] * (i % 3 + 0.5) / 3}
    return taken(page, ".matrices", lambda: cells.click(position=at, delay=20))


def typed(page: Page, i: int) -> float | None:
    """Type a sentence that was not typed before."""
    page.get_by_role("textbox", name="Sentence").fill(TYPED.format(ANIMALS[i]))
    page.wait_for_timeout(200)
    return taken(page, ".maps", lambda: page.keyboard.press("Enter"))


def other_page(page: Page, i: int) -> float | None:
    """Go to the decoding page, or back."""
    name, drawn = (("Decoding", ".decoding"), ("Attention", ".maps"))[i % 2]
    link = page.get_by_role("link", name=name, exact=False).first
    return taken(page, drawn, lambda: link.click(delay=20))


MEASURES = (
    Measure("48 maps, 32 tokens", MAPS_PAGE, "?shape=6x8x32", ".maps[data-drawn]", next_maps),
    Measure("48 maps, 128 tokens", MAPS_PAGE, "?shape=6x8x128", ".maps[data-drawn]", next_maps),
    Measure("one map, 512 tokens", MAPS_PAGE, "?shape=1x1x512", ".maps[data-drawn]", next_maps),
    Measure("other head", "app.py", "?view=maps&model=translate", ".maps[data-drawn]", other_head),
    Measure("other kind", "app.py", "?view=maps&model=translate", ".maps[data-drawn]", other_kind),
    Measure("word", "app.py", "?view=word", ".strips[data-drawn]", other_word),
    Measure("next step", "app.py", "?view=steps&stage=scores", ".matrices[data-drawn]", next_step),
    Measure(
        "silence",
        "app.py",
        f"heads?trial=silence&silent=none&instead=silence&sentence={SENTENCE}",
        ".matrices[data-drawn]",
        other_silence,
    ),
    Measure("typed sentence", "app.py", "?view=maps", ".maps[data-drawn]", typed),
    Measure("page switch", "app.py", "?view=maps", ".maps[data-drawn]", other_page),
)
START = "start"
FLOOR = Measure("text alone (floor)", MAPS_PAGE, "?shape=0x0x0", TEXT, next_maps)


class Side:
    """A page of one checkout, with what its clicks took and what the server sent for each."""

    def __init__(self, page: Page, act: Act) -> None:
        self.page, self.times, self.sent = page, [], []
        self._act, self._bytes = act, 0

    def note(self, frame: str | bytes) -> None:
        """Count what came over the websocket."""
        self._bytes += len(frame)

    def go(self, i: int) -> None:
        """Do it once, and note how long it took, unless it is missing or only warms up."""
        self.page.bring_to_front()
        self.page.wait_for_timeout(250)
        self._bytes = 0
        try:
            found = self._act(self.page, i)
        except Error:
            found = None
        self.page.wait_for_timeout(250)
        if found is not None and i >= WARM_UP:
            self.times.append(found)
            self.sent.append(self._bytes)


@contextmanager
def side(browser: Browser, checkout: Path, measure: Measure) -> Iterator[Side]:
    """Start a server of a checkout and open the measure's page on it."""
    with served(checkout / measure.app, checkout) as address:
        page = opened(browser, "about:blank", "body")
        found = Side(page, measure.act)
        page.on("websocket", lambda socket: socket.on("framereceived", found.note))
        try:
            page.goto(f"{address}/{measure.link}")
            page.locator(measure.drawn).first.wait_for()
            page.wait_for_timeout(1000)
        except Error:
            print(f"{measure.name}: {measure.drawn} is missing in {checkout}", flush=True)
        yield found
        page.close()


def compared(browser: Browser, measure: Measure, checkouts: list[Path]) -> list[Side]:
    """Do the same in all checkouts in turn."""
    with ExitStack() as running:
        sides = [running.enter_context(side(browser, each, measure)) for each in checkouts]
        for i in range(WARM_UP + ROUNDS):
            # Who comes first meets a quieter computer: they change places.
            for each in sides if i % 2 else sides[::-1]:
                each.go(i)
        return sides


def starts(browser: Browser, checkouts: list[Path]) -> list[list[float]]:
    """Start servers of all checkouts in turn: how long each took to its first picture."""
    found: list[list[float]] = [[] for _ in checkouts]
    for i in range(1 + ROUNDS):
        pairs = list(zip(checkouts, found, strict=True))
        for checkout, times in pairs if i % 2 else pairs[::-1]:
            spent = milliseconds(browser, checkout / "app.py", FIRST, checkout)
            if i and spent is not None:
                times.append(spent)
    return found


def main() -> None:
    """Measure what is named, or everything, and print it as a table."""
    checkouts, wanted = [Path(name).resolve() for name in sys.argv[1:3]], sys.argv[3:]
    if len(checkouts) != 2 or not {*wanted} <= {START, *(each.name for each in MEASURES)}:
        sys.exit(__doc__)
    print(
        f"{'':24}{'old ms':>10}{'new ms':>10}{'ratio':>8}{'÷ floor':>9}{'old kB':>9}{'new kB':>9}"
    )
    with chromium() as browser:
        [text] = compared(browser, FLOOR, checkouts[1:])
        floor = median(text.times)
        print(f"{FLOOR.name:24}{'':10}{number(floor)}", flush=True)
        if not wanted or START in wanted:
            before, after = map(median, starts(browser, checkouts))
            print(
                f"{START:24}{number(before)}{number(after)}{number(divided(after, before), 8, 2)}"
            )
        for measure in [each for each in MEASURES if not wanted or each.name in wanted]:
            old, new = compared(browser, measure, checkouts)
            before, after = median(old.times), median(new.times)
            ratios = number(divided(after, before), 8, 2) + number(divided(after, floor), 9, 2)
            sent = "".join(number(divided(median(each.sent), 1000), 9) for each in (old, new))
            print(f"{measure.name:24}{number(before)}{number(after)}{ratios}{sent}", flush=True)


def median(values: list[float]) -> float | None:
    """Return the median, or None where there is nothing."""
    return statistics.median(values) if values else None


def divided(above: float | None, below: float | None) -> float | None:
    """Return a ratio, or None where a part of it is missing."""
    return above / below if above is not None and below else None


def number(value: float | None, width: int = 10, digits: int = 1) -> str:
    """Write a number, or that it is missing."""
    return f"{'missing':>{width}}" if value is None else f"{value:{width}.{digits}f}"


if __name__ == "__main__":
    main()
