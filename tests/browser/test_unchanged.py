"""What is sent, and what stays, when only a part of a page changes."""

import pytest
from playwright.sync_api import expect

from tests.browser.apps import maps_cases
from tests.browser.apps.maps_page import expected_pixels
from tests.browser.canvas import pixels
from tests.browser.kept import APPS

pytestmark = pytest.mark.browser
# The weights of 128 × 128 cells, and what Streamlit says around them.
MOST_OF_A_CLICK = 4 * 128 * 128 + 8_000
CAPTION = "It comes above the maps."


@pytest.fixture
def opened(new_page, serve):
    pages = []

    def open_app(name, on_bytes=None):
        page = new_page()
        pages.append(page)
        if on_bytes:
            page.on(
                "websocket", lambda socket: socket.on("framereceived", lambda x: on_bytes(len(x)))
            )
        page.goto(f"{serve(APPS)}/?app={name}")
        page.locator(".maps[data-drawn]").wait_for()
        return page

    yield open_app
    for page in pages:
        page.close()


def test_a_click_on_another_head_sends_that_head_alone(opened):
    received = []
    page = opened("frames", received.append)
    expect(page.get_by_text("selected: (2, 5)")).to_be_visible()
    page.wait_for_timeout(500)
    assert sum(received) > 48 * 128 * 128
    maps = maps_cases.CASES["long"]()
    for layer, head in [(0, 1), (5, 7)]:
        before = len(received)
        page.get_by_role("button", name=f"layer {layer}, head {head}", exact=True).click()
        expect(page.get_by_text(f"selected: ({layer}, {head})")).to_be_visible()
        expect(page.locator(".maps")).to_have_attribute("data-exact", "true")
        page.wait_for_timeout(300)
        assert 49_152 < sum(received[before:]) <= MOST_OF_A_CLICK
        shown = pixels(page.locator(".cells canvas"))
        assert (shown == expected_pixels(maps.weights[layer, head], maps.visible)).all()


def zoomed_maps(page):
    cells = page.locator(".maps .cells")
    cells.focus()
    for key in ("ArrowDown", "ArrowDown", "Enter", "PageDown"):
        page.keyboard.press(key)
    said = page.locator(".maps .where").inner_text()
    assert said.startswith("rows ")
    page.locator(".maps").evaluate("maps => { window.seen = maps; }")
    return said


def is_the_same(page):
    return page.locator(".maps").evaluate("maps => maps === window.seen && maps.isConnected")


def test_captions_that_come_and_go_above_leave_a_zoomed_map_as_it_is(opened):
    page = opened("captions")
    said = zoomed_maps(page)
    for visible in (True, False, True):
        page.get_by_text("caption", exact=True).click()
        expect(page.get_by_text(CAPTION)).to_be_visible(visible=visible)
        page.wait_for_timeout(300)
        assert is_the_same(page)
        assert page.locator(".maps .where").inner_text() == said
    page.locator(".matrices .cells").focus()
    page.keyboard.press("+")
    part = page.locator(".matrices .where").inner_text()
    assert part.startswith("rows ")
    for visible in (True, False):
        page.get_by_text("middle", exact=True).click()
        expect(page.get_by_text("It comes between both.")).to_be_visible(visible=visible)
        page.wait_for_timeout(300)
        assert is_the_same(page)
        assert page.locator(".matrices .where").inner_text() == part
        assert page.locator(".maps .where").inner_text() == said
