"""The app on a phone: nothing is cut, and no page scrolls sideways."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.waiting import settled
from tests.pages.every_view import CASES, PAGES, query_of

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
SMALL = {"viewport": {"width": 360, "height": 780}, "has_touch": True}
pytestmark = [pytest.mark.browser, pytest.mark.slow]

SIDEWAYS = "() => document.querySelector('.stMain').scrollWidth - innerWidth"
# Every label of a panel's axis, with how large it is written and where it ends.
LABELS = """(panel, axis) => [...panel.querySelectorAll(`.labels.${axis} .token`)].map((token) => ({
    text: token.textContent,
    size: parseFloat(getComputedStyle(token).fontSize),
    end: token.getBoundingClientRect().right,
}))"""
# The heads of a small model are measured at once; a model that is asked for by name has its own.
SMALL_MODEL = {"heads": {"model": "copy"}}
LEFT_OUT = ("experiments", "training")


def shown(page, what):
    page.locator(what).first.wait_for(timeout=20_000)
    settled(page)
    return page


def labels(page, axis):
    return page.locator(".panels .panel").first.evaluate(LABELS, axis)


@pytest.mark.parametrize("of", [each for each in PAGES if each not in LEFT_OUT])
def test_no_view_scrolls_the_page_of_a_small_phone_sideways(visit, of):
    for name in [view for page, view in CASES if page == of]:
        query = urlencode(SMALL_MODEL.get(of, {}) | query_of(of, name), doseq=True)
        page = shown(visit(f"{of}?{query}", **SMALL), ".st-key-seen")
        expect(page.locator(".stException")).to_have_count(0)
        assert page.evaluate(SIDEWAYS) <= 0, name


def test_every_word_stands_above_its_strips(visit):
    page = shown(visit("attention?view=word", **PHONE), ".strips[data-drawn]")
    columns = labels(page, "columns")
    assert len(columns) == 14
    assert max(column["end"] for column in columns) <= 390
    names = page.locator(".panel .strip")
    tops = page.locator(".panel .top")
    assert names.count() == tops.count() == 12
    first, cells = names.first.bounding_box(), page.locator(".panel .cells").bounding_box()
    assert first["y"] + first["height"] <= cells["y"] + 1
    # What is above its strip can be pressed there.
    names.nth(3).click()
    page.locator(".maps[data-drawn]").wait_for()


@pytest.mark.parametrize("size", [PHONE, SMALL])
def test_every_word_of_a_mask_is_read(visit, size):
    page = shown(visit("lessons?lessons=masks", **size), ".matrices[data-drawn]")
    rows, columns = labels(page, "rows"), labels(page, "columns")
    assert len(rows) == len(columns) == 20
    assert min(row["size"] for row in rows) >= 11
    assert min(column["size"] for column in columns) >= (11 if size is PHONE else 9)
    assert not [label for label in rows + columns if "…" in label["text"]]


def test_the_chosen_lesson_is_in_sight_and_its_picture_begins_in_the_upper_half(visit):
    page = shown(visit("lessons?lessons=units", **PHONE), ".panels .panel")
    chosen = page.locator(".st-key-views").get_by_role("radio", name="units").bounding_box()
    assert 0 <= chosen["x"] <= 390 - chosen["width"]
    assert page.locator(".matrices").first.bounding_box()["y"] < 844 / 2


@pytest.mark.parametrize("view", ["attention?view=maps", "heads?trial=patch"])
def test_a_sentence_is_seen_to_its_end(visit, view):
    page = shown(visit(view, **SMALL), ".st-key-sentence input")
    boxes = page.locator(".stTextInput input")
    cut = boxes.evaluate_all("all => all.filter((it) => it.scrollWidth > it.clientWidth).length")
    assert boxes.count()
    assert cut == 0
