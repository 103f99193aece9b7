"""A component whose script the page lends it, before or after it is mounted."""

import pytest

from viz.component.assets import Assets, lending, lent, without_tags

pytestmark = pytest.mark.browser

WHOLE = Assets(
    html="",
    css="",
    js="""
const said = "a </script> <b>";
export default function ({ data }) {
    window.shown.push(`${data} ${said}`);
    return () => window.shown.push(`${data} leaves`);
}
""",
)
MOUNT = """async ([js, data]) => {
    window.shown ??= [];
    window.asked ??= [];
    const script = URL.createObjectURL(new Blob([js], { type: "text/javascript" }));
    const { default: component } = await import(script);
    window.left = component({ data, setTriggerValue: (...told) => window.asked.push(told) });
}"""


@pytest.mark.parametrize("order", ["before", "after"])
def test_a_lent_script_mounts_the_component_whenever_it_comes(browser, order):
    page = browser.new_page()
    lend = f"<script>{without_tags(lending({'it': WHOLE.js}))}</script>"
    borrowing = lent(WHOLE, "it").js
    if order == "before":
        page.set_content(lend)
    page.evaluate(MOUNT, [borrowing, "first"])
    if order == "after":
        page.wait_for_function("window.asked.length")
        assert page.evaluate("[window.shown, window.asked]") == [[], [["script", "it"]]]
        page.evaluate("document.write.bind(document)", lend)
    page.evaluate("window.left.then((leave) => leave())")
    page.evaluate(MOUNT, [borrowing, "second"])
    page.evaluate("window.left")
    shown = page.evaluate("window.shown")
    asked = page.evaluate("window.asked")
    said = "a </script> <b>"
    assert len(asked) == (order == "after")
    page.close()
    assert shown == [f"first {said}", "first leaves", f"second {said}"]


def test_a_page_that_lost_its_scripts_is_given_them_again(visit):
    page = visit("?view=maps")
    page.locator(".maps[data-drawn]").wait_for()
    page.evaluate("window.lentToComponents.clear()")
    # A part of the page is drawn again, and it has another component.
    page.get_by_role("radio", name="word", exact=True).click()
    page.locator(".strips[data-drawn]").wait_for()
    assert page.evaluate("window.lentToComponents.size") > 1
