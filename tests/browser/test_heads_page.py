"""The page of heads in a real browser: what is clicked, and what the link keeps."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.apps.matrices_page import hover_cell
from tests.browser.waiting import settled

pytestmark = pytest.mark.browser


def radio(page, name, group="View"):
    return page.get_by_role("radiogroup", name=group).get_by_role("radio", name=name, exact=True)


def silent_in(page, *heads):
    """Wait until the link names these heads and no other as silent."""
    named = "(,|%2C)".join(head.replace(".", r"\.").replace(":", "(:|%3A)") for head in heads)
    expect(page).to_have_url(re.compile(f"silent={named}(&|$)"))


def test_a_click_on_a_cell_silences_a_head_and_a_reload_keeps_it(visit):
    page = visit("heads?trial=silence&model=copy&silent=none")
    expect(page.get_by_text("All heads are on").first).to_be_visible()
    page.locator(".matrices[data-drawn]").wait_for()
    hover_cell(page, 1, 2, panel=0, click=True)
    silent_in(page, "encoder.1.self:2")
    said = page.get_by_text("Without encoder layer 1, head 2")
    expect(said).to_be_visible()
    page.reload()
    expect(said).to_be_visible()
    page.locator(".matrices[data-drawn]").wait_for()
    hover_cell(page, 1, 2, panel=0, click=True)
    expect(page.get_by_text("All heads are on").first).to_be_visible()


@pytest.mark.slow
def test_heads_are_silenced_with_the_keyboard_one_after_the_other(visit):
    page = visit("heads?trial=silence&model=copy&silent=none")
    page.locator(".matrices[data-drawn]").wait_for()
    settled(page)
    page.locator(".matrices .cells").nth(2).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    silent_in(page, "decoder.0.cross:1")
    settled(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    silent_in(page, "decoder.0.cross:1", "decoder.1.cross:1")
    where = "decoder layer 0, cross-attention head 1 and decoder layer 1, cross-attention head 1"
    expect(page.get_by_text(f"Without {where}")).to_be_visible()


@pytest.mark.slow
def test_a_link_opens_the_silenced_heads_and_passes_over_those_that_are_not_there(visit):
    page = visit("heads?model=copy&silent=decoder.1.cross:3,encoder.0.self:1,encoder.9.self:0")
    where = "encoder layer 0, head 1 and decoder layer 1, cross-attention head 3"
    expect(page.get_by_text(f"Without {where}")).to_be_visible()
    expect(radio(page, "silence")).to_be_checked()


@pytest.mark.slow
def test_a_link_to_the_view_guided_compares_both_models_and_back_leads_to_the_page(visit):
    page = visit("heads?trial=guided")
    titles = page.locator(".matrices .panels figcaption")
    expect(titles.nth(1)).to_have_text("Encoder layer 2, head 0: translate")
    settled(page)
    page.go_back()
    expect(radio(page, "silence")).to_be_checked()


@pytest.mark.slow
def test_a_second_sentence_of_another_length_is_counted_and_stays_while_others_are_looked_at(visit):
    page = visit("heads?trial=patch&model=copy")
    second = page.get_by_role("textbox", name="Second sentence")
    second.fill("a b c")
    second.press("Enter")
    expect(page.get_by_text("This sentence has 4 tokens, the first 7")).to_be_visible()
    radio(page, "override").click()
    page.locator(".matrices[data-drawn]").first.wait_for()
    radio(page, "patch").click()
    expect(second).to_have_value("a b c")
    page.reload()
    expect(second).to_have_value("a b c")
