"""The first visit to a server that has just started, watched from the first paint on."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page

from tests.browser.conftest import ROOT, served

# Streamlit lists pages in a sidebar of its own until app.py has said which there are.
WATCH = """
window.listed = new Set();
new MutationObserver(() => {
    for (const link of document.querySelectorAll('[data-testid=stSidebarNavLink]')) {
        const [name] = link.innerText.split('\\n').slice(-1);
        window.listed.add(name);
    }
}).observe(document, { childList: true, subtree: true, characterData: true });
"""


@contextmanager
def first_visit(browser: Browser, link: str, **options: object) -> Iterator[Page]:
    """Open a page of the app as the first visitor of a server does, by a deep link."""
    with served(ROOT / "app.py") as address:
        page = browser.new_page(**options)
        page.add_init_script(WATCH)
        page.goto(f"{address}/{link}")
        yield page
        page.close()


def listed_in_sidebar(page: Page) -> set[str]:
    """Return every page that a sidebar has listed since the page was opened."""
    return set(page.evaluate("[...window.listed]"))
