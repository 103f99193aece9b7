"""The attention page as axe-core judges it: nothing serious, in any view, light and dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from pages.attention import VIEWS

pytestmark = pytest.mark.browser

# What is wrong in Streamlit's own elements: rule → where. Nothing of ours may be named here.
STREAMLITS = {
    # Words and strings of Python are blue and green with less than 4.5 : 1.
    "color-contrast": [".stCode"],
    # A block of code that is wider than its place can be scrolled, but not with the keyboard.
    "scrollable-region-focusable": [".stCode"],
}

JUDGE = """async (excused) => {
    const found = await axe.run(document, { resultTypes: ["violations"], elementRef: true });
    const grave = found.violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    return grave.flatMap(({ id, nodes }) => nodes
        .filter(({ element }) => !(excused[id] ?? []).some((place) => element.closest(place)))
        .map((node) => `${id} ${node.target.flat().join(" >> ")} ${node.failureSummary}`));
}"""


@pytest.fixture
def faults(visit):
    """Return a function that opens a view and gives what is seriously wrong there."""

    def found(view, scheme):
        page = visit(f"?view={view}", color_scheme=scheme)
        page.get_by_role("button", name="CSV", exact=True).wait_for()
        page.locator("[data-drawn], [data-testid=stDataFrame]").first.wait_for()
        page.evaluate(Axe().axe_script)
        return page.evaluate(JUDGE, STREAMLITS)

    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_no_serious_fault(faults, view, scheme):
    found = faults(view, scheme)
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
