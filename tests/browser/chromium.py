"""The Chromium that the tests drive: find one, or get one.

`python -m tests.browser.chromium` makes sure that there is one and says where.
"""

import os
import shutil
import subprocess
import sys

import pytest
from playwright.sync_api import Browser, BrowserType, Error, sync_playwright

# The first has no windows, which takes a fifth less time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
MISSING = (
    "The browser tests need Chromium: install it so that `chromium` is on the PATH, "
    f"or run `{sys.executable} -m playwright install chromium`."
)

QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# A page of a test lives for seconds: to compile its scripts once more, so that they run faster,
# takes a tenth more time than it saves. Not for measurements.
COMPILED_ONCE = "--js-flags=--no-maglev --no-turbofan"


def on_path() -> str | None:
    """Return the path of an installed Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def of_playwright() -> str | None:
    """Return the path of the Chromium that Playwright has downloaded, or None."""
    try:
        with sync_playwright() as playwright:
            path = playwright.chromium.executable_path
    except Error:
        return None
    return path if os.path.exists(path) else None


def launched(playwright_chromium: BrowserType, *options: str) -> Browser:
    """Start the installed browser if there is any, else the one Playwright has downloaded."""
    try:
        return playwright_chromium.launch(executable_path=on_path(), args=[*QUIET, *options])
    except Error:
        pytest.fail(MISSING)


def install() -> None:
    """Get a Chromium: Debian's where that is possible, else Playwright's."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        for package in NAMES[:2]:
            if on_path() is None:
                subprocess.run(["apt-get", "install", "-y", "-qq", package], check=False)
    if on_path() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def main() -> int:
    """Make sure that there is a Chromium."""
    if (on_path() or of_playwright()) is None:
        install()
    found = on_path() or of_playwright()
    print(found or MISSING)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
