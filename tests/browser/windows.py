"""What another window is needed for, and what a page becomes in the window that it has.

A page of another window has Streamlit's files sent, and its script compiled, once more.
"""

from collections.abc import Mapping

from playwright.sync_api import ViewportSize

SIZE: ViewportSize = {"width": 1280, "height": 800}


def shape_of(options: Mapping[str, object]) -> tuple[ViewportSize, str, dict[str, object]]:
    """Split what is asked of a page.

    Args:
        options: As Playwright's `new_context` takes them.

    Returns:
        The size and the scheme of colours, in which any page can be shown, and what is left: that
        of which a window is made.
    """
    others = dict(options)
    size, scheme = others.pop("viewport", SIZE), others.pop("color_scheme", "light")
    return size, scheme, others
