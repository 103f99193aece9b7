"""A real browser and a real server for the tests of this folder.

- `browser`, of all tests: `browser.new_page(...)` is a visitor who comes for the first time.
- `new_page`: opens a page for a visitor who has been there before, so that Streamlit's own files
  need not be sent again.
- `serve`: `serve("app.py")` starts `streamlit run` on that file from the repository root and
  returns its address; for the same file it returns the same server again.
- `kept_pages`: `kept_pages.show(app, ready, query)` shows a case of a page in `apps/`, and
  `show(name, case)` a case of a component.
- `visit`: opens a page of the app in a tab that goes from test to test, and lets the test fail if
  anything fails in that page.
"""

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from tests.browser.component import ROOTS
from tests.browser.kept import SIZE, KeptPages, shape_of

ROOT = Path(__file__).parents[2]
SECONDS_TO_START = 180
# Machines may be busy: what is expected may take this long before a test fails.
expect.set_options(timeout=20_000)

# Pages for Streamlit to run, with nothing in them to test: imported they would share one session.
collect_ignore_glob = ["apps/*_app.py"]

Serve = Callable[[str | Path], str]
NewPage = Callable[..., Page]


@pytest.fixture(scope="session")
def new_page(browser: Browser) -> NewPage:
    """Open a page, 1280 × 800 if nothing else is asked for, in a window that is kept.

    Pages that ask for the same options share a window, and with it the files of each server.
    """
    windows: dict[str, BrowserContext] = {}

    def opened(**options: object) -> Page:
        wanted = {"viewport": SIZE} | options
        key = repr(sorted(wanted.items()))
        if key not in windows:
            windows[key] = browser.new_context(**wanted)
        return windows[key].new_page()

    return opened


@pytest.fixture(scope="session")
def serve() -> Iterator[Serve]:
    """Start a Streamlit server for an app file; all of them end with the test run."""
    with ExitStack() as running:
        addresses: dict[Path, str] = {}

        def address_of(app_path: str | Path) -> str:
            path = (ROOT / app_path).resolve()
            if path not in addresses:
                addresses[path] = running.enter_context(served(path))
            return addresses[path]

        yield address_of


@pytest.fixture(scope="session")
def kept_pages(new_page: NewPage, serve: Serve) -> KeptPages:
    """Pages of `apps/`, which go from case to case."""
    return KeptPages(new_page, serve)


READY = {name: f"{root}[data-drawn]" for name, root in ROOTS.items()} | {
    "lines": ".lines[data-whole]"
}


@pytest.fixture
def show(kept_pages: KeptPages) -> Callable[..., AbstractContextManager[Page]]:
    """Show a component on one of its cases: `show("maps", "known", width=390, scheme="dark")`."""

    def opened(
        name: str,
        case: str,
        query: str = "",
        *,
        width: int = 1280,
        height: int = 800,
        scheme: str = "light",
    ) -> AbstractContextManager[Page]:
        options = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
        return kept_pages.show(name, READY[name], f"case={case}{query}", **options)

    return opened


class Tabs:
    """Tabs that go from one visitor to the next: only a new one compiles Streamlit's script again.

    A page that is loaded anew in a tab is a new visit: nothing of the last one is left in it.
    """

    def __init__(self, new_page: NewPage) -> None:
        self._new_page = new_page
        self._idle: dict[str, list[Page]] = {}

    @contextmanager
    def lent(self, note: Callable[[str, object], None], **options: object) -> Iterator[Page]:
        """Lend a tab that shows nothing; `note` hears of its errors, requests and dialogs."""
        size, scheme, others = shape_of(options)
        idle = self._idle.setdefault(repr(sorted(others.items())), [])
        page = idle.pop() if idle else self._new_page(**others)
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        listeners = {each: partial(note, each) for each in ("pageerror", "request", "dialog")}
        for event, listener in listeners.items():
            page.on(event, listener)
        yield page
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        try:
            page.mouse.move(0, 0)
            page.evaluate("sessionStorage.clear()")
            page.goto("about:blank")
        except Error:
            page.close()
        else:
            idle.append(page)


@pytest.fixture(scope="session")
def tabs(new_page: NewPage) -> Tabs:
    """The tabs that `visit` lends."""
    return Tabs(new_page)


@pytest.fixture
def visit(tabs: Tabs, serve: Serve) -> Iterator[Callable[..., Page]]:
    """Open the app at an address; nothing may fail in the page, or be asked for from outside."""
    faults: list[str] = []
    address = serve("app.py")

    def note(event: str, what: object) -> None:
        if event == "request":
            outside(what.url, address, faults)
        else:
            faults.append(what.message if event == "dialog" else str(what))

    with ExitStack() as lent:

        def go(path: str = "", **options: object) -> Page:
            page = lent.enter_context(tabs.lent(note, **options))
            page.goto(f"{address}/{path}")
            return page

        yield go
    assert faults == []


def outside(url: str, address: str, faults: list[str]) -> None:
    if not url.startswith((address, address.replace("http", "ws"), "data:", "blob:")):
        faults.append(url)


@contextmanager
def served(app_path: Path, root: Path = ROOT) -> Iterator[str]:
    """Run a Streamlit app for as long as the context lasts.

    Args:
        app_path: Its file.
        root: The checkout that it is run from.

    Yields:
        Its address, once it answers.
    """
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(app_path), "--server.port", str(port)]
    process = subprocess.Popen(
        command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for_health(process, f"http://127.0.0.1:{port}")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            # Busy, with a visitor's run or with other programs: nothing of it is needed any more.
            process.kill()
            process.wait()


def free_port() -> int:
    """Return a port at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_health(process: subprocess.Popen[bytes], address: str) -> None:
    """Wait until a server answers."""
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args} ended with {process.returncode} before it answered")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(f"{address} did not answer within {SECONDS_TO_START} s")
