"""How long the lessons take: a page until it is painted, and every control until it is drawn.

Run from the repository root: python -m benchmarks.lessons [LESSON ...]

Through the app itself with the run of the gallery that opens first, browser and server warm. A
page counts as painted, and a control as answered, with the last thing that is drawn: the last
change of text or elements and the last stroke on a canvas, those of the charts included. Every
control that a view shows is found by itself and used. The floor is the first view's button for a
view; ratios to it are comparable between computers.
"""

import sys
from collections.abc import Callable, Iterator

from playwright.sync_api import Browser, Error, Locator, Page

from benchmarks.measuring import APP, LIMIT, Times, chromium, heading, report
from benchmarks.measuring import measured as repeated
from pages import lessons
from tests.browser.conftest import served

LESSONS = [view.name for view in lessons.VIEWS]
PAINT, ANSWER = 1000, 150

# Notes when something was drawn last; Streamlit's own signs of life outside the page do not count.
WATCH = """
window.begun = 0;
window.last = 0;
const note = () => { window.last = performance.now(); };
for (const name of ['fillRect', 'putImageData', 'stroke', 'fill', 'fillText', 'drawImage']) {
    const plain = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...given) {
        note();
        return plain.apply(this, given);
    };
}
const inPage = (node) => node.getRootNode() !== document
    || Boolean((node.closest ? node : node.parentElement)?.closest('.stMainBlockContainer'));
new MutationObserver((changes) => {
    if (changes.some(({ target }) => inPage(target))) note();
}).observe(document, { childList: true, characterData: true, subtree: true });
// What answers a press already counts from the click all the same.
for (const name of ['mousedown', 'click', 'keydown']) {
    window.addEventListener(name, () => { window.begun = performance.now(); }, { capture: true });
}
// Null where nothing is drawn for so long that it is missing, or where it does not come to rest.
window.settled = async (quiet) => {
    const limit = performance.now() + LIMIT;
    while (!window.last || performance.now() - window.last < quiet) {
        if (performance.now() > limit) return null;
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return window.last;
};
""".replace("LIMIT", str(LIMIT))


def main() -> None:
    """Measure all lessons, or those that are named, and print them as a table."""
    heading("ms to drawn")
    wanted = sys.argv[1:] or LESSONS
    with served(APP) as address, chromium() as browser:
        floor = floor_of(browser, address)
        for lesson in wanted:
            link = f"{address}/lessons?lessons={lesson}"
            report(f"{lesson}: first paint", paints(browser, link), floor, PAINT)
            for name, times in controls(browser, link):
                report(f"    {name}", times, floor, ANSWER)


def floor_of(browser: Browser, address: str) -> list[float]:
    """A new sentence's worth of nothing: another kind of attention on the attention page."""
    page = opened(browser, f"{address}/?view=maps")
    kinds = page.get_by_role("radio", name="decoder self"), page.get_by_role("radio", name="cross")
    return measured(page, lambda i: kinds[i % 2].click(delay=20))


def opened(browser: Browser, link: str, first: str = ".stButtonGroup") -> Page:
    """Open a page and wait until nothing is drawn any more, of which `first` is a part."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(LIMIT)
    page.add_init_script(WATCH)
    try:
        come(page, link, first)
    except Error:
        print(f"{first}: missing on {link}", flush=True)
    return page


def come(page: Page, link: str, first: str = ".stButtonGroup") -> float | None:
    """Go to a page and return when it was drawn, in milliseconds since it was asked for."""
    page.goto(link)
    page.locator(f".stMainBlockContainer {first}").first.wait_for()
    return page.evaluate("window.settled(700)")


def paints(browser: Browser, link: str) -> list[float]:
    """Load a page again and again, each time with what the browser has kept."""
    page = opened(browser, link)

    def paint(_: int) -> float | None:
        page.goto("about:blank")
        return come(page, link)

    times = repeated(paint, page, pause=0)
    page.close()
    return times


def controls(browser: Browser, link: str) -> Iterator[tuple[str, list[float]]]:
    """Use every control of a view, and yield its name with the times."""
    page = opened(browser, link)
    found = (choices, numbers, switches, selections, texts)
    for name, act in [control for kind in found for control in kind(page)]:
        yield name, measured(page, act)
    page.close()


def choices(page: Page) -> Iterator[tuple[str, Callable[[int], None]]]:
    """Yield segmented controls but for the first, which opens other views, and pills."""
    for group in page.locator(".stMainBlockContainer .stButtonGroup").all()[1:]:
        yield label_of(group), pressing(group.get_by_role("radio").or_(group.get_by_role("button")))


def pressing(options: Locator) -> Callable[[int], None]:
    """Press one after the other, whichever there are by then; a single one again and again."""
    return lambda i: options.nth((i + 1) % options.count()).click(delay=20)


def numbers(page: Page) -> Iterator[tuple[str, Callable[[int], None]]]:
    """Yield number fields, one step up and down."""
    for field in page.get_by_test_id("stNumberInput").all():
        steps = field.get_by_test_id("stNumberInputStepDown").or_(
            field.get_by_test_id("stNumberInputStepUp")
        )
        if steps.count():
            yield label_of(field), pressing(steps)


def switches(page: Page) -> Iterator[tuple[str, Callable[[int], None]]]:
    """Yield switches, but for those that begin a measurement on held-out sentences."""
    for switch in page.get_by_test_id("stCheckbox").all():
        if "Measure" not in switch.inner_text():
            yield label_of(switch), pressing(switch.locator("label").first)


def selections(page: Page) -> Iterator[tuple[str, Callable[[int], None]]]:
    """Yield boxes with several choices, but for the model."""
    for box in page.get_by_test_id("stSelectbox").all()[1:]:
        field = box.locator("input")

        def select(i: int, field: Locator = field) -> None:
            field.click(delay=20)
            field.press("ArrowDown" if i % 2 == 0 else "ArrowUp")
            # The clock begins again with the key that chooses.
            field.press("Enter")

        yield label_of(box), select


def texts(page: Page) -> Iterator[tuple[str, Callable[[int], None]]]:
    """Yield text fields, the sentence itself included, with a text that changes in length."""
    fields = [(field, "Enter") for field in page.locator("[data-testid=stTextInput] input").all()]
    areas = page.locator("[data-testid=stTextArea] textarea").all()
    for field, key in [*fields, *((area, "Control+Enter") for area in areas)]:
        before = field.input_value()

        def change(i: int, field: Locator = field, before: str = before, key: str = key) -> None:
            field.fill(before + " 1" * (1 + i % 3))
            field.press(key)

        yield str(field.get_attribute("aria-label"))[:38], change


def label_of(widget: Locator) -> str:
    """Return what a widget is called, be it shown or not."""
    return " ".join((widget.locator("label").first.text_content() or "").split())[:38]


def measured(page: Page, act: Callable[[int], None]) -> Times:
    """Repeat an action; each begins when nothing has been drawn for a while."""

    def once(i: int) -> float | None:
        page.evaluate("window.settled(300)")
        act(i)
        page.wait_for_timeout(100)
        last = page.evaluate("window.settled(300)")
        # What draws nothing takes no time.
        return None if last is None else max(0.0, last - page.evaluate("window.begun"))

    return [time for time in repeated(once, page, pause=0) if time > 0]


if __name__ == "__main__":
    main()
