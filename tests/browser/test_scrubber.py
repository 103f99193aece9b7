"""The scrubber in a real browser: where its handle goes, what it says and what the page hears."""

import pytest
from playwright.sync_api import expect

from tests.browser.apps.scrubber_cases import STOPS
from tests.browser.component import choose, expect_heard, heard, press

pytestmark = pytest.mark.browser


def place(page, stop):
    """Where a stop's mark is on the page."""
    box = page.locator(".stop").nth(STOPS.index(stop)).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def handle_at(page):
    """Where the middle of the handle is on the page."""
    box = page.locator(".handle i").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def step_of(page):
    return int(page.locator(".course").get_attribute("data-step"))


def test_a_click_anywhere_goes_to_the_nearest_stop_as_the_tooltip_says(show):
    with show("scrubber", "known") as page:
        (left, track), (right, _) = place(page, 20), place(page, 50)
        page.mouse.move(*place(page, 100))
        expect(page.locator(".tooltip")).to_have_text(
            "step 100loss 2 · held out 2.25 · exact match 10\xa0%"
        )
        page.mouse.click(0.6 * left + 0.4 * right, track - 60)
        expect_heard(page, "pick", {"step": 20})
        page.mouse.move(5, 5)
        expect(page.locator(".tooltip")).to_be_hidden()
        page.wait_for_timeout(300)
        assert handle_at(page) == pytest.approx((left, track), abs=0.6)


def test_dragging_tells_the_stops_on_the_way_and_at_last_where_it_ended(show):
    with show("scrubber", "known", "&seconds=0.2") as page:
        (start, track), (end, _) = place(page, 200), place(page, 1)
        page.mouse.move(start + 1, track)
        page.mouse.down()
        page.mouse.move(end, track - 30, steps=30)
        assert step_of(page) == 1
        page.mouse.up()
        expect_heard(page, "pick", {"step": 1})
        told = [value["step"] for _, value in heard(page)]
        # A slow page finishes each step that it is told, and is told no more than it can answer.
        assert 2 <= len(told) < STOPS.index(200)
        assert told == sorted(told, reverse=True)
        expect(page.get_by_text(f"runs: {1 + len(told)}", exact=True)).to_be_visible()
        page.mouse.move(start, track)
        assert step_of(page) == 1


def test_keys_go_from_stop_to_stop_and_a_screen_reader_is_told(show):
    with show("scrubber", "known") as page:
        slider = page.get_by_role("slider", name="Snapshot of the training")
        slider.focus()
        for key, step in [("ArrowRight", 500), ("PageDown", 10), ("Home", 0), ("End", 1000)]:
            press(page, key)
            assert step_of(page) == step, key
        expect_heard(page, "pick", {"step": 1000})
        expect(slider).to_be_focused()
        expect(page.locator(".handle i")).not_to_have_css("outline-style", "none")
        for name, value in {"min": "0", "max": "1000", "now": "1000"}.items():
            expect(slider).to_have_attribute(f"aria-value{name}", value)
        expect(slider).to_have_attribute(
            "aria-valuetext", "step 1,000, loss 1, held out 1.25, exact match 100\u00a0%"
        )


def test_playing_goes_to_the_end_and_stops_there_and_can_be_paused(show):
    with show("scrubber", "known") as page:
        button = page.locator(".play")
        page.locator(".slider").focus()
        press(page, "ArrowRight")
        button.click()
        expect(button).to_have_attribute("aria-label", "Pause")
        expect(button).to_have_attribute("aria-label", "Play the training")
        expect_heard(page, "pick", {"step": 1000})
        expect(page.locator(".live")).to_contain_text("step 1,000, loss 1,")
        # In one go, so that a busy machine cannot play on in between.
        begun, paused = button.evaluate(
            """button => {
                const step = () => Number(button.closest('.course').dataset.step);
                const clicked = () => { button.click(); return step(); };
                return [clicked(), clicked()];
            }"""
        )
        assert (begun, paused) == (0, 0)


def test_new_data_leave_the_handle_and_the_focus_where_they_are(show):
    with show("scrubber", "known", "&choose=1") as page:
        page.locator(".course").evaluate("root => { window.seen = root; }")
        choose(page, "longer")
        expect(page.locator(".slider")).to_have_attribute("aria-valuemax", "2000")
        assert page.locator(".course").evaluate("root => root === window.seen")
        assert step_of(page) == 200
        assert handle_at(page)[0] == pytest.approx(place(page, 200)[0], abs=0.6)
