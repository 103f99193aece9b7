"""When a component tells its page of a change: once it rests, and not after it has left."""

import base64

import pytest

from tests.browser.apps import lines_cases, maps_cases
from viz.component.assets import assets_of
from viz.lines import lines
from viz.plane import maps

pytestmark = pytest.mark.browser

MOUNT = """async ({ js, html, css, data }) => {
    const script = URL.createObjectURL(new Blob([js], { type: "text/javascript" }));
    const { default: component } = await import(script);
    document.body.innerHTML = `<style>${css}</style>${html}`;
    window.told = [];
    window.leave = component({
        data: Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0)),
        parentElement: document.body,
        setTriggerValue: (name) => window.told.push(name),
    });
}"""
MOVE_SLIDER = (
    "input => { input.value = 0.5; input.dispatchEvent(new Event('input', { bubbles: true })); }"
)
CASES = {
    "threshold": (
        "lines",
        lambda: lines.pack(lines_cases.known()),
        ".threshold input",
        MOVE_SLIDER,
    ),
    "zoom": (
        "plane",
        lambda: maps.pack(maps_cases.vast(rows=256, columns=256), zooms=True),
        "[data-zoom=in]",
        "button => button.click()",
    ),
}


@pytest.mark.parametrize("leaves", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_changes_are_told_once_when_they_rest_and_not_by_a_component_that_has_left(
    browser, name, leaves
):
    component, packed, control, change = CASES[name]
    assets = assets_of(component)
    # A clock stands still for all pages of a window: this one has its own.
    page = browser.new_page()
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    data = base64.b64encode(packed()).decode()
    page.evaluate(MOUNT, {"js": assets.js, "html": assets.html, "css": assets.css, "data": data})
    for _ in range(3):
        page.locator(control).evaluate(change)
    if leaves:
        page.evaluate("window.leave()")
    page.clock.run_for(10_000)
    told = page.evaluate("window.told")
    page.close()
    assert told == ([] if leaves else [name])
