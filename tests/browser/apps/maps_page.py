"""What tests of the attention maps in a browser share: opening a case, and what should be seen."""

import numpy as np

from viz import theme

APP = "maps"


def opened_maps(kept_pages, case, query="", **options):
    """Show the component on one case."""
    return kept_pages.show(APP, ".maps[data-drawn]", f"case={case}{query}", **options)


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
