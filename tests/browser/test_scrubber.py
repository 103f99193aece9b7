"""The scrubber in a real browser: where its handle goes, what it says and what the page is told."""

import ast
import re

import pytest
from playwright.sync_api import expect

from tests.browser.apps.scrubber_cases import STOPS
from tests.browser.kept import APPS

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def show(new_page, serve):
    """Open the component on one case; nothing may fail in the page meanwhile."""
    opened, errors = [], []

    def go(query=""):
        page = new_page(color_scheme="light", reduced_motion="reduce")
        opened.append(page)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{serve(APPS)}/?app=scrubber&{query}")
        page.locator(".course[data-drawn]").first.wait_for()
        return page

    yield go
    for page in opened:
        page.close()
    assert errors == []


@pytest.fixture(scope="module")
def shared(show):
    """The known training, opened once for all."""
    return show()


@pytest.fixture
def page(shared):
    """The known training at step 200, with the keyboard on the handle."""
    shared.set_viewport_size({"width": 1280, "height": 800})
    shared.emulate_media(color_scheme="light")
    shared.get_by_role("button", name="start over").evaluate("button => button.click()")
    shared.get_by_text("picked: [200]").wait_for()
    expect(shared.locator(".course")).to_have_attribute("data-step", "200")
    shared.locator(".slider").focus()
    yield shared
    # Whatever was done, the page has been told where the handle came to.
    shared.get_by_text(re.compile(rf"\b{step_of(shared)}\]")).wait_for()


def picks(page):
    return ast.literal_eval(page.get_by_text("picked:").inner_text().removeprefix("picked: "))


def place(page, stop):
    """Where a stop's mark is on the page."""
    box = page.locator(".stop").nth(STOPS.index(stop)).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def handle_at(page):
    """Where the middle of the handle is on the page."""
    box = page.locator(".handle i").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def picks_at_rest(page):
    """What was told, when nothing more comes."""
    told = None
    while told != (found := picks(page)):
        told = found
        page.wait_for_timeout(1500)
    return told


def step_of(page):
    return int(page.locator(".course").get_attribute("data-step"))


def test_a_click_anywhere_goes_to_the_nearest_stop(page):
    (left, track), (right, _) = place(page, 20), place(page, 50)
    page.mouse.click(0.6 * left + 0.4 * right, track - 60)
    page.get_by_text(", 20]").wait_for()
    assert handle_at(page) == pytest.approx((left, track), abs=0.6)
    page.mouse.click(0.4 * left + 0.6 * right, track + 10)
    page.get_by_text(", 50]").wait_for()
    assert handle_at(page) == pytest.approx((right, track), abs=0.6)


def test_dragging_tells_the_stops_on_the_way_and_at_last_where_it_ended(page):
    before = len(picks(page))
    (start, track), (end, _) = place(page, 200), place(page, 2)
    page.mouse.move(start + 1, track)
    page.mouse.down()
    page.mouse.move(end, track - 30, steps=40)
    assert step_of(page) == 2
    page.mouse.move(end - 500, track, steps=2)
    assert step_of(page) == 0
    page.mouse.move(end + 2, track)
    page.mouse.up()
    told = picks_at_rest(page)[before:]
    assert told[-1] == 2
    assert set(told) <= set(STOPS)
    page.mouse.move(start, track)
    assert step_of(page) == 2


def test_a_slow_page_finishes_each_step_that_it_is_told(show):
    page = show("seconds=0.2")
    page.get_by_text("runs: 1").wait_for()
    (start, track), (end, _) = place(page, 200), place(page, 1)
    page.mouse.move(start, track)
    page.mouse.down()
    page.mouse.move(end, track, steps=30)
    page.mouse.up()
    page.get_by_text(re.compile(r"picked.* 1\]")).wait_for()
    told = picks(page)
    assert 2 <= len(told) < STOPS.index(200)
    expect(page.get_by_text(f"runs: {1 + len(told)}", exact=True)).to_be_visible()
    assert step_of(page) == 1


def test_keys_go_from_stop_to_stop_and_the_focus_stays(page):
    slider = page.locator(".slider")
    for key, step in [
        ("ArrowRight", 500), ("ArrowLeft", 200), ("ArrowDown", 100), ("ArrowUp", 200),
        ("End", 1000), ("ArrowRight", 1000), ("PageDown", 20), ("Home", 0), ("ArrowLeft", 0),
    ]:  # fmt: skip
        page.keyboard.press(key)
        assert step_of(page) == step, key
    page.get_by_text(", 0]").wait_for()
    expect(slider).to_be_focused()
    expect(page.locator(".handle i")).not_to_have_css("outline-style", "none")


def test_a_screen_reader_is_told_the_step_and_what_is_known_of_it(page):
    slider = page.get_by_role("slider", name="Snapshot of the training")
    expect(slider).to_have_attribute(
        "aria-valuetext", "step 200, loss 1.62, held out 1.87, exact match 20\u00a0%"
    )
    for name, value in {"valuemin": "0", "valuemax": "1000", "valuenow": "200"}.items():
        expect(slider).to_have_attribute(f"aria-{name}", value)
    page.keyboard.press("End")
    expect(slider).to_have_attribute(
        "aria-valuetext", "step 1,000, loss 1, held out 1.25, exact match 100\u00a0%"
    )
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "step 0")


def test_the_pointer_is_told_where_a_click_leads(page):
    x, track = place(page, 100)
    page.mouse.move(x + 3, track - 50)
    expect(page.locator(".tooltip")).to_contain_text("step 100")
    expect(page.locator(".tooltip")).to_contain_text("loss 2 · held out 2.25")
    page.mouse.move(5, 5)
    expect(page.locator(".tooltip")).to_be_hidden()


def test_playing_goes_to_the_end_and_stops_there_and_can_be_paused(page):
    button = page.locator(".play")
    page.keyboard.press("ArrowRight")
    button.click()
    expect(button).to_have_attribute("aria-label", "Pause")
    expect(button).to_have_attribute("aria-label", "Play the training")
    assert step_of(page) == 1000
    page.get_by_text(", 1000]").wait_for()
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
    expect(button).to_have_attribute("aria-label", "Play the training")
    page.wait_for_timeout(800)
    assert step_of(page) == 0


def test_new_data_leave_the_handle_and_the_focus_where_they_are(page):
    page.locator(".course").evaluate("root => { window.seen = root; }")
    page.get_by_role("button", name="train on").evaluate("button => button.click()")
    expect(page.locator(".slider")).to_have_attribute("aria-valuemax", "2000")
    assert page.locator(".course").evaluate("root => root === window.seen")
    expect(page.locator(".slider")).to_be_focused()
    assert step_of(page) == 200
    assert handle_at(page)[0] == pytest.approx(place(page, 200)[0], abs=0.6)
