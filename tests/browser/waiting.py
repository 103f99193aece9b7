"""What tests wait for in a page."""

from playwright.sync_api import Page

# What the browser does by itself in the app, which has pages, is sent for late.
_LENT = """() => !document.querySelector("[data-testid=stTopNavLink]") || window.knowsKeys"""

# What can be scrolled is not the document but an element in it.
_FITS = """() => {
    const { scrollWidth, clientWidth } = document.querySelector(".stMain");
    return scrollWidth === clientWidth;
}"""
# Streamlit's colours come gradually.
_SHOWS = """scheme => document.getAnimations().every(({ playState }) => playState !== "running")
    && getComputedStyle(document.querySelector(".stApp")).colorScheme === scheme"""


def settled(page: Page) -> None:
    """Wait until the script has ended, for what the page knows of keys, and for the fonts.

    With the fonts labels are placed again.
    """
    page.locator("[data-test-script-state=notRunning]").wait_for()
    page.wait_for_function(_LENT)
    page.evaluate("() => document.fonts.ready.then(() => true)")


def drawn(page: Page) -> None:
    """Wait for two frames: what a picture does for a new width is done in the first."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def fits(page: Page, width: int) -> None:
    """Make the window so wide and 800 high, and wait until nothing sticks out sideways."""
    page.set_viewport_size({"width": width, "height": 800})
    page.wait_for_function(_FITS)


def in_scheme(page: Page, scheme: str) -> None:
    """Switch to light or dark, as a reader does for all pages, and wait until it shows."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(_SHOWS, arg=scheme)
