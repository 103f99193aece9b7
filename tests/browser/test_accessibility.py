"""The attention page as axe-core judges it: nothing serious, in any view, light and dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from pages.attention import VIEWS
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser

# What is wrong in Streamlit's own elements: rule → where. Nothing of ours may be named here.
STREAMLITS = {
    # Words and strings of Python are blue and green with less than 4.5 : 1.
    "color-contrast": [".stCode"],
    # A block of code that is wider than its place can be scrolled, but not with the keyboard.
    "scrollable-region-focusable": [".stCode"],
}

# How many of its pictures a view shows at once.
COMPONENTS = dict.fromkeys(VIEWS, 1) | {"steps": 2}

# Streamlit follows the reader's scheme; its colours come gradually.
SHOWS = """scheme => document.getAnimations().every(({ playState }) => playState !== "running")
    && getComputedStyle(document.querySelector(".stApp")).colorScheme === scheme"""

JUDGE = """async (excused) => {
    const found = await axe.run(document, { resultTypes: ["violations"], elementRef: true });
    const grave = found.violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    return grave.flatMap(({ id, nodes }) => nodes
        .filter(({ element }) => !(excused[id] ?? []).some((place) => element.closest(place)))
        .map((node) => `${id} ${node.target.flat().join(" >> ")} ${node.failureSummary}`));
}"""


@pytest.fixture
def faults(visit):
    """Return a function that opens a view and yields what is seriously wrong, light and dark."""

    def found(view):
        page = visit(f"?view={view}", color_scheme="light")
        page.get_by_role("button", name="CSV", exact=True).wait_for()
        for at in range(COMPONENTS[view]):
            page.locator("[data-drawn], [data-testid=stDataFrame]").nth(at).wait_for()
        page.evaluate(Axe().axe_script)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_function(SHOWS, arg=scheme)
            settled(page)
            yield from page.evaluate(JUDGE, STREAMLITS)

    return found


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_no_serious_fault(faults, view):
    found = list(faults(view))
    assert not found, "\n".join(found)


def test_the_judge_sees_what_is_inside_of_components(visit):
    page = visit("?model=copy&sentence=a")
    page.locator(".maps[data-drawn]").wait_for()
    page.locator(".maps .cells").evaluate("cells => cells.removeAttribute('aria-label')")
    page.locator(".maps .tile").first.evaluate("tile => tile.removeAttribute('aria-label')")
    page.evaluate(Axe().axe_script)
    [found] = page.evaluate(JUDGE, STREAMLITS)
    assert found.startswith("button-name")
    assert ".tile" in found


def test_the_table_and_the_python_have_no_serious_fault(visit):
    page = visit("?view=maps&kind=decoder+self")
    page.get_by_text("As a table", exact=True).click()
    page.get_by_role("table").wait_for()
    page.get_by_role("button", name="Python").click()
    page.get_by_test_id("stPopoverBody").locator("code").wait_for()
    page.evaluate(Axe().axe_script)
    found = page.evaluate(JUDGE, STREAMLITS)
    assert not found, "\n".join(found)
