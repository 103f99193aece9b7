"""What the tests of components share: pointing, what was heard, pixels, files."""

import base64
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from playwright.sync_api import Locator, Page, expect

from viz import theme

ROOTS = {name: f".{name}" for name in ("maps", "matrices", "lines", "strips", "decoding", "whole")}
"""Component → its element."""
SVG = "{http://www.w3.org/2000/svg}"

# As text: numbers one by one take the browser seconds where there are millions of them.
READ = """canvas => {
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    const parts = [];
    for (let at = 0; at < data.length; at += 8192) {
        parts.push(String.fromCharCode(...data.subarray(at, at + 8192)));
    }
    return [width, height, btoa(parts.join(''))];
}"""


def pixels(canvas: Locator) -> np.ndarray:
    """Return red, green, blue and opacity of every pixel of a canvas."""
    width, height, data = canvas.evaluate(READ)
    return np.frombuffer(base64.b64decode(data), np.uint8).reshape(height, width, 4)


def weight_pixels(weights, visible=True, *, limit=1.0, signed=False):
    """Return the pixel of every weight; those of hidden ones are clear."""
    shares = np.asarray(weights, np.float64) / limit
    if signed:
        numbers = 127 + np.floor(127 * np.clip(shares, -1, 1) + 0.5).astype(int)
    else:
        numbers = np.rint(255 * np.clip(shares, 0, 1)).astype(int)
    colours = (theme.diverging_table() if signed else theme.scale_table())[numbers]
    seen = np.broadcast_to(visible, shares.shape)
    opacity = np.where(seen, 255, 0).astype(np.uint8)[..., None]
    return np.concatenate([np.where(seen[..., None], colours, 0), opacity], axis=-1)


def matrix_pixels(matrix):
    visible = True if matrix.visible is None else matrix.visible
    signed = matrix.scale == "signed"
    return weight_pixels(matrix.values, visible, limit=matrix.limit, signed=signed)


def panel_of(page: Page, index: int = 0) -> Locator:
    return page.locator(".panels .panel").nth(index)


def cell_of(page: Page, row: int, column: int, panel: int = 0) -> tuple[float, float]:
    """Return where the middle of a cell is that is shown."""
    box = panel_of(page, panel).locator(".cells").bounding_box()
    width, height = panel_of(page, panel).evaluate(
        "p => ['--cell-width', '--cell-height'].map(n => parseFloat(p.style.getPropertyValue(n)))"
    )
    return box["x"] + (column + 0.5) * width, box["y"] + (row + 0.5) * height


def hover_cell(page: Page, row: int, column: int, panel: int = 0, click: bool = False) -> Locator:
    """Point at a cell or click it; return the tooltip's first line."""
    (page.mouse.click if click else page.mouse.move)(*cell_of(page, row, column, panel))
    return page.locator(".tooltip .line").first


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def expect_heard(page: Page, event: str, value: object) -> None:
    """Wait until this is the last that the page has heard."""
    last = re.compile(re.escape(f"{(event, value)}]") + "$")
    expect(page.get_by_text(last)).to_be_visible()


def choose(page: Page, case: str) -> None:
    """Hand the component another case, where the page was asked to `choose`."""
    page.get_by_role("radio", name=case, exact=True).click(force=True)


def saved(page: Page, button: str) -> tuple[str, bytes]:
    """Click a button that saves a file; return its name and content."""
    with page.expect_download() as download:
        page.locator(button).first.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def drawing_of(page: Page, button: str = ".tools .svg:visible") -> ElementTree.Element:
    return ElementTree.fromstring(saved(page, button)[1])


def texts_of(drawing: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in drawing.iter(f"{SVG}text")]
