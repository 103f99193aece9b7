"""The first screen in a real browser."""

import pytest

from tests.browser.waiting import settled

pytestmark = pytest.mark.browser


def test_it_is_one_screen(visit):
    page = visit("", viewport={"width": 1280, "height": 720})
    page.locator(".lines[data-drawn]").wait_for(timeout=60_000)
    settled(page)
    height, room = page.evaluate(
        "[document.querySelector('.stMain').scrollHeight, window.innerHeight]"
    )
    assert height <= room
