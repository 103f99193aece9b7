"""Views as axe-core judges them, light and dark, and in a narrow window."""

from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.waiting import fits, in_scheme, settled
from tests.pages.every_view import CASES, query_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# What is wrong in elements of Streamlit and Vega: rule → where. Nothing of ours may be named here.
STREAMLITS = {
    # Vega calls the brush of a selection a picture, and no setting gives it a name.
    "svg-img-alt": ["[class*=_brush]"],
    # Words and strings of Python are blue and green with less than 4.5 : 1.
    "color-contrast": [".stCode"],
    # A block of code that is wider than its place can be scrolled, but not with the keyboard.
    "scrollable-region-focusable": [".stCode"],
}

VIEWS = [
    f"{page}?{urlencode(query_of(page, name), doseq=True)}"
    for page, name in CASES
    if page != "training"
]

# Each component of ours and each chart stands, and nothing that only keeps the place for one.
DRAWN = """() => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    const inside = (it) => it.querySelector("[data-testid=stBidiComponentIsolated]")?.shadowRoot;
    return !all("[data-testid=stSkeleton]").length
        && all(".stBidiComponent").every((it) => inside(it)
            && [...inside(it).querySelectorAll(".lab")].every((lab) => lab.matches("[data-drawn]")))
        && all(".stVegaLiteChart").every((it) => it.querySelector("svg"));
}"""

JUDGE = """async ([excused, options]) => {
    const asked = { resultTypes: ["violations"], elementRef: true, ...options };
    const found = await axe.run(document, asked);
    const grave = found.violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    return grave.flatMap(({ id, nodes }) => nodes
        .filter(({ element }) => !(excused[id] ?? []).some((place) => element.closest(place)))
        .map((node) => `${id} ${node.target.flat().join(" >> ")} ${node.failureSummary}`));
}"""


def judged(page, **options):
    """Return what is seriously wrong in a page that has axe."""
    return page.evaluate(JUDGE, [STREAMLITS, options])


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_no_serious_fault_and_fits_a_narrow_window(visit, view):
    page = visit(view, color_scheme="light")
    # The last that is sent of a view.
    page.get_by_text("Code that computes it", exact=True).wait_for()
    assert_without_serious_fault(page)


@pytest.mark.parametrize(
    ("link", "shows"),
    [
        ("", ".whole[data-drawn]"),
        ("tour", "text=Begin"),
        ("glossary", "text=See it"),
        ("misconceptions", "text=See it"),
        ("quiz", "text=Done"),
        ("?tour=paper&stop=whole&revealed=true", ".whole[data-drawn]"),
    ],
)
def test_a_page_without_views_has_no_serious_fault_and_fits_a_narrow_window(visit, link, shows):
    page = visit(link, color_scheme="light")
    page.locator(shows).first.wait_for()
    assert_without_serious_fault(page)


def assert_without_serious_fault(page):
    settled(page)
    page.wait_for_function(DRAWN)
    page.evaluate(Axe().axe_script)
    found = []
    # Nothing but colours is different in the dark.
    for scheme, options in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        in_scheme(page, scheme)
        settled(page)
        found += judged(page, **options)
    assert not found, "\n".join(found)
    fits(page, 900)


def test_the_table_and_the_python_have_no_serious_fault(visit):
    page = visit("?view=maps&kind=decoder+self")
    page.get_by_text("As a table", exact=True).click()
    page.get_by_role("table").wait_for()
    page.get_by_role("button", name="Python").click()
    page.get_by_test_id("stPopoverBody").locator("code").first.wait_for()
    page.evaluate(Axe().axe_script)
    found = judged(page)
    assert not found, "\n".join(found)
