"""What is sent, and what stays, when only a part of a page changes."""

import pytest
from playwright.sync_api import expect

from tests.browser.apps import maps_cases
from tests.browser.component import expect_heard, pixels, press, weight_pixels
from tests.browser.kept import APPS

pytestmark = pytest.mark.browser
# The weights of 128 × 128 cells, and what Streamlit says around them.
MOST_OF_A_CLICK = 4 * 128 * 128 + 8_000


@pytest.fixture
def received():
    """The size of everything that a page was sent."""
    return []


@pytest.fixture
def opened(new_page, serve, received):
    page = new_page()

    def note(socket):
        socket.on("framereceived", lambda frame: received.append(len(frame)))

    def open_app(query):
        page.on("websocket", note)
        page.goto(f"{serve(APPS)}/?app={query}")
        page.locator(".maps[data-drawn]").wait_for()
        page.wait_for_timeout(500)
        return page

    yield open_app
    page.close()


def test_a_click_on_another_head_sends_that_head_alone(opened, received):
    page = opened("maps&case=long")
    assert sum(received) > 48 * 128 * 128
    maps = maps_cases.CASES["long"]()
    for layer, head in [(0, 1), (5, 7)]:
        before = len(received)
        page.get_by_role("button", name=f"layer {layer}, head {head}", exact=True).click()
        expect_heard(page, "pick", {"layer": layer, "head": head})
        expect(page.locator(".maps")).to_have_attribute("data-exact", "true")
        page.wait_for_timeout(300)
        assert 49_152 < sum(received[before:]) <= MOST_OF_A_CLICK
        shown = pixels(page.locator(".cells canvas"))
        assert (shown == weight_pixels(maps.weights[layer, head], maps.visible)).all()


def test_elements_that_come_and_go_above_leave_a_zoomed_map_as_it_is(opened):
    page = opened("captions")
    page.locator(".maps .cells").focus()
    press(page, "ArrowDown", "ArrowDown", "Enter", "PageDown")
    page.locator(".matrices .cells").focus()
    press(page, "+")
    parts = page.locator(":is(.maps, .matrices) .where").all_inner_texts()
    assert all(part.startswith("rows ") for part in parts)
    page.locator(".maps").evaluate("maps => { window.seen = maps; }")
    for toggle, text in (("caption", "It comes above the maps."), ("middle", "It comes between")):
        for visible in (True, False):
            page.get_by_text(toggle, exact=True).click()
            expect(page.get_by_text(text)).to_be_visible(visible=visible)
            page.wait_for_timeout(300)
            assert page.locator(".maps").evaluate("maps => maps === window.seen")
            assert page.locator(":is(.maps, .matrices) .where").all_inner_texts() == parts
