"""Make the pictures of README.md anew from the running app: python -m docs.screenshots.

Those in Chinese, which README.zh.md shows: python -m docs.screenshots zh. The film of the pass:
python -m docs.screenshots film.
"""

import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import launched
from tests.browser.conftest import served

HERE = Path(__file__).parent
PATIENCE = 180_000
"""Milliseconds that a page may take on a busy machine."""
PAGES = {
    "compare": ("?view=maps&how=sentence", ".matrices[data-drawn]"),
    "steps": ("?view=steps&stage=q%C2%B7k", ".matrices[data-drawn]"),
    "lines": ("?view=lines&shown=all&kind=decoder.cross", ".lines[data-drawn]"),
    "heads": ("heads", ".matrices[data-drawn]"),
    "paper": (
        "?tour=paper&stop=pronoun&revealed=true"
        "&sentence=The+animal+didn%27t+cross+the+street+because+it+was+too+wide.",
        ".whole[data-drawn]",
    ),
    "layers": ("lessons?lessons=layers", ".matrices[data-drawn]"),
    "masks": ("lessons?lessons=masks&row=0", ".matrices[data-drawn]"),
    "training": (
        "training?training=look_back&model=translate-guided&step=200",
        ".whole[data-drawn]",
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


FILM = {"step": 800, "stage": 450, "end": 2500}
"""Milliseconds that a frame of the film stands."""


def main(wanted: Sequence[str]) -> None:
    """Photograph the pages."""
    with served(HERE.parent / "app.py") as address, sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        makers = {"zh": in_chinese, "film": film}
        makers.get("".join(wanted[:1]), in_english)(browser, address)
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


def film(browser: Browser, address: str) -> None:
    """Film the pass: the encoder, each word that is written, another word, a head silenced."""
    page = opened(browser, address, ".whole[data-drawn]", "light", (1180, 720), scale=1)
    slider = page.get_by_role("slider", name="Steps of decoding")
    slider.press("Home")
    frames = [(frame(page), FILM["step"])]
    last = int(slider.get_attribute("aria-valuemax") or 0)
    for step in range(1, last + 1):
        if step == 2:
            page.locator(".slow input").check()
            slider.press("ArrowRight")
            for _ in range(8):
                frames.append((frame(page), FILM["stage"]))
                page.wait_for_timeout(420)
            page.locator(".slow input").uncheck()
        else:
            slider.press("ArrowRight")
        page.wait_for_timeout(120)
        frames.append((frame(page), FILM["step"]))
    page.get_by_role("button", name="wide").click()
    page.locator(".words .changed").first.wait_for()
    page.wait_for_timeout(800)
    frames.append((frame(page), FILM["end"]))
    page.locator('.blocks button[data-site="encoder.2.self"]').click()
    page.locator(".inside .map").first.click()
    page.wait_for_timeout(300)
    frames.append((frame(page), FILM["end"]))
    page.locator(".inside .silence").click()
    page.get_by_role("button", name="all heads on").wait_for()
    page.wait_for_timeout(800)
    frames.append((frame(page), FILM["end"]))
    [first, *others] = [image for image, _ in frames]
    first.save(
        HERE / "pass.webp",
        save_all=True,
        append_images=others,
        duration=[time for _, time in frames],
        loop=0,
        quality=70,
        method=6,
    )


def frame(page: Page) -> Image.Image:
    """Return what the page shows."""
    return Image.open(io.BytesIO(page.screenshot()))


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
