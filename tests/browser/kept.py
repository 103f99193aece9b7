"""Pages that go from one case to the next: loading them again takes longer than most tests.

A case is what the address asks of a page in `apps/`. Between two cases it asks for nothing: then
nothing is drawn, what was done is forgotten (`apps/all_app.py`), and the component leaves.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from playwright.sync_api import Page, ViewportSize

from tests.browser.waiting import in_scheme, settled

APPS = "tests/browser/apps/all_app.py"
SIZE: ViewportSize = {"width": 1280, "height": 800}

# As a link within the page does it, or the way back.
GO = """query => {
    history.pushState(null, "", query);
    dispatchEvent(new PopStateEvent("popstate", { state: null }));
}"""

# A component that leaves in a run too short to be seen may come back as it was in the next one.
FORGET = "globalThis.pageOfComponents?.components.clear()"


def shape_of(options: Mapping[str, object]) -> tuple[ViewportSize, str, dict[str, object]]:
    """Split the options of a page.

    A page of another window has Streamlit's files sent, and its script compiled, once more.

    Args:
        options: As Playwright's `new_context` takes them.

    Returns:
        The size and the scheme of colours, in which any page can be shown, and the other options,
        which need a window of their own.
    """
    others = dict(options)
    size, scheme = others.pop("viewport", SIZE), others.pop("color_scheme", "light")
    return size, scheme, others


class KeptPages:
    """One page for each kind of window."""

    def __init__(self, new_page: Callable[..., Page], serve: Callable[[str], str]) -> None:
        self._new_page = new_page
        self._serve = serve
        self._kept: dict[str, Page] = {}

    @contextmanager
    def show(self, app: str, ready: str, query: str, **options: object) -> Iterator[Page]:
        """Show a case; nothing may fail in the page meanwhile.

        Args:
            app: The name of a page in `apps/`.
            ready: What the page holds once the component is drawn.
            query: What the address asks for.
            options: Of the window, as `new_page` takes them.
        """
        size, scheme, others = shape_of(options)
        kind = repr(sorted(others.items()))
        page = self._kept.pop(kind, None) or self._new_page(**others)
        errors: list[str] = []

        def note(error: Exception) -> None:
            errors.append(str(error))

        page.on("pageerror", note)
        try:
            page.set_viewport_size(size)
            self._open(page, f"?app={app}&{query}", scheme)
            page.locator(ready).first.wait_for()
            settled(page)
            yield page
            page.mouse.move(0, 0)
            page.evaluate(GO, "/")
            page.locator(ready).first.wait_for(state="detached")
            page.evaluate(FORGET)
        except BaseException:
            page.close()
            raise
        page.remove_listener("pageerror", note)
        self._kept[kind] = page
        assert errors == []

    def _open(self, page: Page, case: str, scheme: str) -> None:
        address = self._serve(APPS)
        if page.url.startswith(address):
            page.bring_to_front()
            in_scheme(page, scheme)
            page.evaluate(GO, f"/{case}")
        else:
            page.emulate_media(color_scheme=scheme)
            page.goto(f"{address}/{case}")
