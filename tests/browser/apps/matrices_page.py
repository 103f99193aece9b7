"""What tests of the matrices in a browser share: opening a case, pointing, what should be seen."""

import numpy as np

from viz import theme

APP = "matrices"
SVG = "{http://www.w3.org/2000/svg}"


def opened_matrices(kept_pages, case, query="", **options):
    """Show the component on one case."""
    return kept_pages.show(APP, ".matrices[data-drawn]", f"case={case}{query}", **options)


def panel_of(page, index=0):
    return page.locator(".panels .panel").nth(index)


def expected_pixels(matrix):
    shares = matrix.values.astype(np.float64) / matrix.limit
    if matrix.scale == "signed":
        numbers = 127 + np.floor(127 * np.clip(shares, -1, 1) + 0.5).astype(int)
        colours = theme.diverging_table()[numbers]
    else:
        numbers = np.floor(255 * np.clip(shares, 0, 1) + 0.5).astype(int)
        colours = theme.scale_table()[numbers]
    visible = np.ones(shares.shape, bool) if matrix.visible is None else matrix.visible
    opacity = np.where(visible, 255, 0).astype(np.uint8)[..., None]
    return np.concatenate([np.where(visible[..., None], colours, 0), opacity], axis=-1)


def hover_cell(page, row, column, panel=0, click=False):
    box = panel_of(page, panel).locator(".cells").bounding_box()
    cell = panel_of(page, panel).evaluate(
        "p => ['--cell-width', '--cell-height'].map(n => parseFloat(p.style.getPropertyValue(n)))"
    )
    at = box["x"] + (column + 0.5) * cell[0], box["y"] + (row + 0.5) * cell[1]
    (page.mouse.click if click else page.mouse.move)(*at)
    return page.locator(".tooltip .line").first


def marked(page, selector):
    return [node.text_content() for node in page.locator(f".panels {selector} .marked").all()]


def saved(page, panel, name):
    with page.expect_download() as download:
        panel_of(page, panel).locator(f".{name}").click()
    return download.value.path()


def written(document):
    return ["".join(text.itertext()) for text in document.iter(f"{SVG}text")]


def cell_sizes(page, panel):
    return panel_of(page, panel).evaluate(
        "p => ['--cell-width', '--cell-height'].map(n => parseFloat(p.style.getPropertyValue(n)))"
    )
