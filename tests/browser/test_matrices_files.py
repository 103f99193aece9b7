"""The matrices in a real browser: tables and pictures to take away."""

import csv
import io
import re
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from tests.browser.apps import matrices_cases
from tests.browser.apps.matrices_page import (
    SVG,
    expected_pixels,
    opened_matrices,
    panel_of,
    saved,
)
from tests.browser.canvas import pixels
from viz import theme
from viz.direction import unmarked

pytestmark = pytest.mark.browser


@pytest.fixture
def show(kept_pages):
    return partial(opened_matrices, kept_pages)


def test_a_table_has_all_digits_and_leaves_hidden_cells_empty(show):
    with show("known") as page:
        with page.expect_download() as download:
            panel_of(page, 1).get_by_role("button", name="Save as a table").click()
        text = download.value.path().read_text(encoding="utf-8")
    matrix = matrices_cases.known().panels[1]
    head, *rows = csv.reader(io.StringIO(text))
    assert download.value.suggested_filename == "hidden-quoted.csv"
    assert head == ["", "the", "cat", "sleeps", "here"]
    assert [row[0] for row in rows] == ["le", "chat", "dort"]
    assert rows[0][4] == ""
    assert rows[1][1] == "0.025"
    read = np.array([[np.float32(x or 0) for x in row[1:]] for row in rows])
    assert (read == matrix.values).all()


def saved_picture(page):
    """Save the first panel as a picture and return its name and its pixels."""
    with page.expect_download() as download:
        panel_of(page).get_by_role("button", name="Save as a picture").click()
    saved = Image.open(download.value.path()).convert("RGBA")
    return download.value.suggested_filename, np.asarray(saved)


def on_white(rgb, opacity=0.19):
    return 255 - opacity * (255 - np.array(rgb))


def tinted(picture, side):
    return np.abs(picture[..., :3] - on_white(side)).max(-1) <= 1


def test_a_picture_is_white_with_every_colour_and_tinted_words_whatever_the_theme(show):
    with show("known", color_scheme="dark") as page:
        name, seen = saved_picture(page)
    assert name == "signed.png"
    for side in (theme.SOURCE, theme.TARGET):
        rows, columns = np.nonzero(tinted(seen, side))
        assert len(rows) > 1500
        # Rows of words stand left of the cells, columns above them.
        assert (np.ptp(rows) > np.ptp(columns)) == (side == theme.TARGET)
    assert seen[0, 0].tolist() == seen[-1, -1].tolist() == [255, 255, 255, 255]
    found = {tuple(pixel) for pixel in seen.reshape(-1, 4)}
    wanted = expected_pixels(matrices_cases.known().panels[0]).reshape(-1, 4)
    assert {tuple(pixel) for pixel in wanted} <= found
    assert (seen[..., :3].max(-1) < 60).any()


def placed(node, x=0.0, y=0.0):
    """Yield every element below with where its own 0, 0 is; what is turned is left out."""
    moved = re.fullmatch(r"translate\((\S+) (\S+)\)", node.get("transform", "translate(0 0)"))
    if moved is None:
        return
    x, y = x + float(moved[1]), y + float(moved[2])
    yield node, x, y
    for child in node:
        yield from placed(child, x, y)


def drawn_cells(document):
    """Return the middle of every cell that is drawn, and its colour."""
    (cells,) = [each for each in placed(document) if each[0].get("class") == "cells"]
    _, left, top = cells
    middles, colours = [], []
    for cell in cells[0].iterfind(f"{SVG}rect"):
        x, y, width, height = (float(cell.get(name)) for name in ("x", "y", "width", "height"))
        middles.append((left + x + width / 2, top + y + height / 2))
        colours.append(tuple(bytes.fromhex(cell.get("fill").removeprefix("#"))))
    return middles, colours


def test_a_drawing_holds_the_colour_of_every_cell_and_the_text_of_every_label(show):
    matrix = matrices_cases.odd().panels[0]
    with show("odd", color_scheme="dark") as page:
        document = ElementTree.parse(saved(page, 0, "svg")).getroot()
        picture = np.asarray(Image.open(saved(page, 0, "png")).convert("RGBA"))
    middles, colours = drawn_cells(document)
    expected = expected_pixels(matrix)
    assert colours == [tuple(pixel[:3]) for pixel in expected.reshape(-1, 4) if pixel[3]]
    texts = {unmarked("".join(text.itertext())) for text in document.iter(f"{SVG}text")}
    labels = {label.text for axis in (matrix.rows, matrix.columns) for label in axis.labels}
    assert {matrix.rows.name, matrix.columns.name} <= texts
    assert labels - texts <= {matrices_cases.LONG}
    assert document.find(f"{SVG}title").text == matrix.title
    # The picture is the drawing, twice as fine.
    at = (2 * np.array(middles)).astype(int)
    assert [tuple(pixel[:3]) for pixel in picture[at[:, 1], at[:, 0]]] == colours
    assert picture.shape[:2] == (
        2 * float(document.get("height")),
        2 * float(document.get("width")),
    )


def has_ink(page, row, column):
    words = pixels(panel_of(page).locator("canvas.words"))[..., 3]
    height, width = words.shape[0] // 3, words.shape[1] // 20
    return words[height * row : height * (row + 1), width * column : width * (column + 1)].any()


def test_all_matrices_are_saved_as_one_drawing(show):
    shown = matrices_cases.known()
    with show("known") as page:
        with page.expect_download() as download:
            page.get_by_role("button", name="Save all of them as one drawing").click()
        document = ElementTree.parse(download.value.path()).getroot()
        with page.expect_download() as picture:
            page.get_by_role("button", name="Save all of them as one picture").click()
        image = Image.open(picture.value.path())
    assert image.width / image.height == pytest.approx(
        float(document.get("width")) / float(document.get("height")), rel=0.02
    )
    texts = " ".join(text.text or "" for text in document.iter(f"{SVG}text"))
    for panel in shown.panels:
        assert all(word in texts for word in panel.title.split())
    labels = [label.text for panel in shown.panels for label in panel.rows.labels]
    assert all(texts.count(label) >= labels.count(label) for label in labels)
