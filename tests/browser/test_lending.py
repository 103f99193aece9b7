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
    const script = URL.createObjectURL(new Blob([js], { type: "text/javascript" }));
    const { default: component } = await import(script);
    window.left = component({ data });
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
        assert page.evaluate("window.shown") == []
        page.evaluate("document.write.bind(document)", lend)
    page.evaluate("window.left.then((leave) => leave())")
    page.evaluate(MOUNT, [borrowing, "second"])
    page.evaluate("window.left")
    shown = page.evaluate("window.shown")
    page.close()
    said = "a </script> <b>"
    assert shown == [f"first {said}", "first leaves", f"second {said}"]
