"""Make the pictures of README.md anew from the running app: python -m docs.screenshots.

Those in Chinese, which README.zh.md shows: python -m docs.screenshots zh.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import launched
from tests.browser.conftest import served

HERE = Path(__file__).parent
PATIENCE = 180_000
"""Milliseconds that a page may take on a busy machine."""
PAGES = {
    "start": ("", ".whole[data-drawn]"),
    "compare": ("?view=maps&how=sentence", ".matrices[data-drawn]"),
    "steps": ("?view=steps&stage=q%C2%B7k", ".matrices[data-drawn]"),
    "lines": ("?view=lines&shown=all&kind=decoder.cross", ".lines[data-drawn]"),
    "heads": ("heads", ".matrices[data-drawn]"),
    "paper": (
        "?tour=paper&stop=2&view=lines&layer=2&head=0&side=source&token=8",
        ".lines[data-drawn]",
    ),
    "layers": ("lessons?lessons=parts", ".architecture[data-drawn]"),
    "masks": ("lessons?lessons=masks&row=0", ".matrices[data-drawn]"),
    "training": (
        "training?training=look_back&model=translate-guided&step=200",
        ".maps[data-drawn]",
    ),
    "experiments": (
        "experiments?experiment=bottleneck&outcome=lengths",
        ".stVegaLiteChart svg",
    ),
    "runs": (
        "training?training=runs&runs=translate&runs=translate-guided",
        ".stVegaLiteChart svg",
    ),
}
"""Name of a picture → the link that opens it, and what stands when the view does."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A view in Chinese."""

    link: str
    drawn: str
    """What stands when the view does."""
    scheme: str = "light"
    size: tuple[int, int] = (1280, 720)


CHINESE = {
    "maps": Picture("?view=maps", ".maps[data-drawn]"),
    "word": Picture("?view=word", ".strips[data-drawn]"),
    "decoding": Picture("decoding", ".decoding[data-drawn]"),
    "roles": Picture("heads?trial=roles", "[data-testid=stDataFrame]"),
    "masks": Picture("lessons?lessons=masks&row=0", ".matrices[data-drawn]", "dark"),
    "positions": Picture("lessons?lessons=positions", ".stVegaLiteChart svg", "dark"),
    "training": Picture("training", ".stVegaLiteChart svg"),
    "experiments": Picture("experiments?experiment=heads", ".stVegaLiteChart svg"),
    "glossary": Picture("glossary", "[data-testid=stMarkdown]", size=(390, 844)),
}


def main(languages: Sequence[str]) -> None:
    """Photograph the pages."""
    with served(HERE.parent / "app.py") as address, sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        photograph = in_chinese if "zh" in languages else in_english
        photograph(browser, address)
        browser.close()


def in_english(browser: Browser, address: str) -> None:
    """Photograph the pages as they open first, the attention page in light and dark."""
    for scheme in ("light", "dark"):
        page = opened(browser, f"{address}/?view=maps", ".maps[data-drawn]", scheme)
        point_at_antecedent(page)
        page.screenshot(path=HERE / f"attention-{scheme}.png")
    page = opened(browser, f"{address}/decoding", ".decoding[data-drawn]", "light")
    page.screenshot(path=HERE / "decoding-light.png")
    for name, (link, drawn) in PAGES.items():
        page = opened(browser, f"{address}/{link}", drawn, "light")
        page.screenshot(path=HERE / f"{name}-light.png")


def in_chinese(browser: Browser, address: str) -> None:
    """Photograph views in light and dark, and one on a phone."""
    for name, view in CHINESE.items():
        url = f"{address}/{view.link}{'&' if '?' in view.link else '?'}lang=zh_CN"
        page = opened(browser, url, view.drawn, view.scheme, view.size, scale=1)
        page.screenshot(path=HERE / "zh" / f"{name}.png")


def opened(
    browser: Browser,
    url: str,
    drawn: str,
    scheme: str,
    size: tuple[int, int] = (1280, 800),
    scale: float = 2,
) -> Page:
    """Open a page and wait until its picture stands."""
    width, height = size
    page = browser.new_page(
        viewport={"width": width, "height": height}, device_scale_factor=scale, color_scheme=scheme
    )
    page.set_default_timeout(PATIENCE)
    page.goto(url)
    page.locator(drawn).first.wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
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
    main(sys.argv[1:])
