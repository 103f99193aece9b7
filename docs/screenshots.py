"""Make the README's pictures anew from the running app: python -m docs.screenshots."""

from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import launched
from tests.browser.conftest import served

HERE = Path(__file__).parent
PAGES = {
    "": ".lines[data-drawn]",
    "?view=compare": ".matrices[data-drawn]",
    "?view=steps&stage=q%C2%B7k": ".matrices[data-drawn]",
    "?view=lines&shown=all&kind=decoder.cross": ".lines[data-drawn]",
    "heads": ".matrices[data-drawn]",
    "?tour=paper&stop=2&view=lines&layer=2&head=0&side=source&token=8": ".lines[data-drawn]",
    "layers": ".architecture[data-drawn]",
    "masks?masks=scores&row=0": ".matrices[data-drawn]",
    "training?training=look_back&model=translate-guided&step=200": ".maps[data-drawn]",
    "experiments?experiment=bottleneck&outcome=lengths": ".stVegaLiteChart svg",
    "runs?runs=translate&runs=translate-guided": ".stVegaLiteChart svg",
}


def main() -> None:
    """Photograph the pages as they open first, the attention page in light and dark."""
    with served(HERE.parent / "app.py") as address, sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        for scheme in ("light", "dark"):
            page = opened(browser, f"{address}/?view=maps", ".maps[data-drawn]", scheme)
            point_at_antecedent(page)
            page.screenshot(path=HERE / f"attention-{scheme}.png")
        page = opened(browser, f"{address}/decoding", ".decoding[data-drawn]", "light")
        page.screenshot(path=HERE / "decoding-light.png")
        for link, drawn in PAGES.items():
            page = opened(browser, f"{address}/{link}", drawn, "light")
            page.screenshot(path=HERE / f"{name_of(link)}-light.png")
        browser.close()


def name_of(link: str) -> str:
    """Return the page of a link; for a view of the first page the view, and "start" for none."""
    page, _, parameters = link.partition("?")
    return page or parameters.partition("&")[0].partition("=")[2] or "start"


def opened(browser: Browser, url: str, drawn: str, scheme: str) -> Page:
    """Open a page and wait until its picture stands."""
    page = browser.new_page(
        viewport={"width": 1280, "height": 800}, device_scale_factor=2, color_scheme=scheme
    )
    page.goto(url)
    page.locator(drawn).first.wait_for()
    page.wait_for_timeout(1500)
    return page


def point_at_antecedent(page: Page) -> None:
    """Put the pointer on the cell "it" → "animal"."""
    tokens = page.locator(".chips.source .chip").all_inner_texts()
    box = page.locator(".cells").bounding_box()
    size = box["width"] / len(tokens)
    page.mouse.move(
        box["x"] + (tokens.index("animal") + 0.5) * size,
        box["y"] + (tokens.index("it") + 0.5) * size,
    )
    page.wait_for_timeout(300)


if __name__ == "__main__":
    main()
