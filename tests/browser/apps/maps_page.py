"""What tests of the attention maps in a browser share: opening a case, and what should be seen."""

from contextlib import contextmanager

import numpy as np

from viz import theme

APP = "tests/browser/apps/maps_app.py"


@contextmanager
def opened_maps(new_page, serve, case, query="", **options):
    """Open the component on one case; nothing may fail in the page meanwhile."""
    page = new_page(**options)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{serve(APP)}/?case={case}{query}")
    page.locator(".maps[data-drawn]").wait_for()
    yield page
    page.close()
    assert errors == []


def expected_pixels(weights, visible):
    """Return red, green, blue and opacity for every weight; what is hidden is clear."""
    colours = theme.scale_table()[np.rint(weights * 255).astype(int)]
    opacity = np.where(visible, 255, 0).astype(np.uint8)[..., None]
    return np.concatenate([np.where(visible[..., None], colours, 0), opacity], axis=-1)


def point_of(page, row, column, rows, columns):
    """Return where the middle of a cell is, where so many rows and columns are shown."""
    box = page.locator(".cells").bounding_box()
    return (
        box["x"] + (column + 0.5) * box["width"] / columns,
        box["y"] + (row + 0.5) * box["height"] / rows,
    )
