"""Pages that go from one case to the next: loading them again takes longer than most tests.

A case is what the address of an app in `apps/` asks for. Between two cases it asks for nothing:
then the app draws nothing and forgets what was done (`apps/blank.py`), and the component leaves.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Page

from tests.browser.waiting import settled

# As a link within the page does it, or the way back.
GO = """query => {
    history.pushState(null, "", query);
    dispatchEvent(new PopStateEvent("popstate", { state: null }));
}"""

# A component that leaves in a run too short to be seen may come back as it was in the next one.
FORGET = "globalThis.pageOfComponents?.kept.clear()"


class KeptPages:
    """One page for each app and each kind of window."""

    def __init__(self, new_page: Callable[..., Page], serve: Callable[[str], str]) -> None:
        self._new_page = new_page
        self._serve = serve
        self._kept: dict[tuple[str, str], Page] = {}

    @contextmanager
    def show(self, app: str, ready: str, query: str, **options: object) -> Iterator[Page]:
        """Show a case; nothing may fail in the page meanwhile.

        Args:
            app: From the repository root.
            ready: What the page holds once the component is drawn.
            query: What the address asks for.
            options: Of the window, as `new_page` takes them.
        """
        kind = app, repr(sorted(options.items()))
        page = self._kept.pop(kind, None) or self._new_page(**options)
        size, errors = page.viewport_size, []

        def note(error: Exception) -> None:
            errors.append(str(error))

        page.on("pageerror", note)
        try:
            self._open(page, self._serve(app), query)
            page.locator(ready).first.wait_for()
            settled(page)
            yield page
            page.mouse.move(0, 0)
            page.set_viewport_size(size)
            page.evaluate(GO, "/")
            page.locator(ready).first.wait_for(state="detached")
            page.evaluate(FORGET)
        except BaseException:
            page.close()
            raise
        page.remove_listener("pageerror", note)
        self._kept[kind] = page
        assert errors == []

    def _open(self, page: Page, address: str, query: str) -> None:
        if page.url.startswith(address):
            page.bring_to_front()
            page.evaluate(GO, f"/?{query}")
        else:
            page.goto(f"{address}/?{query}")
