"""How long a page without a server lets its visitor wait, and how many bytes it is.

Run from the repository root: python -m benchmarks.site

The folder is served by Python's file server to a browser that has kept nothing and may ask nobody
else. The first picture counts from the request of the page; an own sentence as well, in an address
that names it, so that the weights are loaded before; and once more on a page that has them.
"""

import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from playwright.sync_api import Browser, Page, expect

from benchmarks.measuring import ROUNDS, chromium
from core.installed import GALLERY
from pages.site.__main__ import SHIPPED
from pages.site.writing import write_site

OWN, WRITTEN = "The cats saw the old dog.", "Les chats ont vu le vieux chien."
DRAWN = "performance.getEntriesByName('whole-drawn')[0].startTime"
GOALS = {"first picture": 1000, "own sentence, from the request": 3000, "own sentence": 3000}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def file_server(folder: Path) -> Iterator[str]:
    """Serve a folder as long as the context lasts; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def timed(browser: Browser, address: str, act: Callable[[Page], float]) -> float:
    """Return what an action takes in a new window, which may ask for nothing from elsewhere."""
    window = browser.new_context(viewport={"width": 1280, "height": 720})
    window.route(lambda url: not url.startswith(address), lambda route: route.abort())
    page = window.new_page()
    found = act(page)
    window.close()
    return found


def first_picture(page: Page, address: str) -> float:
    """Open the page; the model comes after the picture."""
    page.route("**/*.model.js", lambda route: route.abort())
    page.goto(address)
    page.locator(".whole[data-drawn]").wait_for()
    return float(page.evaluate(DRAWN))


def own_sentence(page: Page, address: str) -> float:
    """Open an address that names a sentence."""
    page.goto(f"{address}#{OWN}")
    expect(page.locator(".seen")).to_contain_text(WRITTEN, timeout=60_000)
    return float(page.evaluate(DRAWN))


def typed_sentence(page: Page, address: str) -> float:
    """Type a sentence where the model is there; from Enter to the picture."""
    page.goto(address)
    page.get_by_text("Computed in this browser").wait_for(timeout=60_000)
    page.locator("[name=sentence]").fill(OWN)
    start = float(page.evaluate("performance.now()"))
    page.locator("[name=sentence]").press("Enter")
    expect(page.locator(".seen")).to_contain_text(WRITTEN, timeout=60_000)
    return float(page.evaluate(DRAWN)) - start


def main() -> None:
    """Print medians beside the goals."""
    with TemporaryDirectory() as name, chromium() as browser:
        size = write_site(Path(name), [GALLERY / run for run in SHIPPED])
        print(f"{len(SHIPPED)} runs, 2 languages: {size / 1e6:.1f} MB (goal: 30)")
        with file_server(Path(name)) as address:
            for what, act in zip(GOALS, (first_picture, own_sentence, typed_sentence), strict=True):
                times = [
                    timed(browser, address, partial(act, address=address)) for _ in range(ROUNDS)
                ]
                print(f"{what:<32}{statistics.median(times):6.0f} ms (goal: {GOALS[what]})")


if __name__ == "__main__":
    main()
