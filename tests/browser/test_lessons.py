"""The lessons in a real browser."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core.decoding.sentence import translate
from core.runs.run import load_run
from core.studies.lessons.layers import decoder_lens
from pages import lessons
from pages.frame import layout
from tests.browser.first_visit import first_visit, listed_in_sidebar
from tests.browser.waiting import fits, in_scheme, settled

ROOT = Path(__file__).parents[2]
# What a view's picture is made of: a map, a drawing, a chart or a table.
PICTURE = ".matrices[data-drawn], .architecture[data-drawn], .stVegaLiteChart svg, .stTable"
pytestmark = pytest.mark.browser


def link(view, **parameters):
    return "&".join([f"lessons?lessons={view}", *(f"{k}={v}" for k, v in parameters.items())])


def picture(page):
    """Return the view's first picture, once it stands."""
    found = page.locator(PICTURE).first
    found.wait_for(timeout=20_000)
    return found


@pytest.mark.slow
def test_every_view_stands_on_the_first_screen_and_fits_a_narrow_window(visit):
    page = visit("lessons")
    words = page.locator(f".st-key-{layout.LESSON_TEXT}")
    for view in lessons.VIEWS:
        before = words.inner_text()
        button = page.get_by_role("radio", name=view.text.label, exact=True)
        if not button.is_checked():
            button.click()
            expect(words).not_to_have_text(before)
        settled(page)
        # A chart may be drawn anew just then: asked in the page, it is where it stands.
        assert picture(page).evaluate("node => node.getBoundingClientRect().y") < 500
        expect(page.get_by_text("Code that computes it")).to_be_attached()
        expect(page.locator(".stException")).to_have_count(0)
        fits(page, 900)
        fits(page, 1280)


@pytest.mark.slow
def test_the_first_visit_to_a_fresh_server_by_deep_link_shows_the_view_in_its_frame(browser):
    with first_visit(browser, link("leaks", model="copy")) as page:
        picture(page)
        expect(page.get_by_role("radio", name="no masks", exact=True)).to_be_checked()
        expect(page.get_by_role("link", name="Attention")).to_be_visible()
        # Nothing but the page's own words stands on it.
        expect(page.get_by_text("can be read", exact=False)).to_have_count(0)
        assert listed_in_sidebar(page) == set()


def test_a_click_on_a_part_opens_it_and_the_link_keeps_it(visit):
    page = visit(link("parts"))
    picture(page)
    page.locator("[data-part='decoder.0.cross']").first.click()
    expect(page).to_have_url(re.compile(r"part=decoder\.0\.cross"))
    expect(page.locator(".stTable")).to_contain_text("shape: memory")
    page.reload()
    picture(page)
    expect(page.locator(".stTable")).to_contain_text("shape: memory")
    page.locator("[data-part='decoder.0.cross']").first.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".stTable")).not_to_contain_text("shape: memory")


@pytest.mark.slow
def test_the_diagram_is_reached_with_the_tab_key(visit):
    page = visit(link("parts"))
    picture(page)
    page.locator(".architecture .tools .svg").focus()
    page.keyboard.press("Tab")
    expect(page.locator("[data-part='encoder.0.self']").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"part=encoder\.0\.feed_forward"))
    # Its answer brings another chooser: one that had the focus before that would lose it.
    part = page.get_by_role("combobox", name="Part")
    expect(part).to_have_value("Encoder layer 0: Norm before Feed-forward")
    page.keyboard.press("Tab")
    expect(part).to_be_focused()


def saved(page, panel):
    with page.expect_download() as waiting:
        page.locator(".matrices .csv:visible").nth(panel).click()
    return list(csv.reader(waiting.value.path().read_text().splitlines()))


@pytest.mark.slow
def test_the_numbers_of_a_map_say_what_the_map_shows(visit):
    page = visit(link("masks", masks_shown="scores", row="2"))
    picture(page)
    _scores, masked, weights = (saved(page, panel) for panel in range(3))
    assert masked[1][2] == weights[1][2] == ""
    page = visit(link("layers", model="translate-guided"))
    picture(page)
    head, first, *_rest = saved(page, 0)
    assert head == ["read after", "word fed", "word", "probability"]
    run = load_run(ROOT / "gallery" / "translate-guided")
    found = translate(run, "The animal didn't cross the street because it was too tired.")
    lens = decoder_lens(run.model, found.source_ids, found.fed_ids)
    [word] = run.tokenizer.describe([int(lens.best_LK[0, 0])])
    assert first[:3] == ["no layer", "BOS", word.text]


def test_a_map_of_a_lesson_is_read_with_the_keyboard(visit):
    page = visit(link("masks", masks_shown="scores", attention="cross", row="2"))
    picture(page)
    page.locator(".matrices .cells[tabindex]:visible").last.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".matrices .live")).to_contain_text("→")
    page.keyboard.press("End")
    expect(page.locator(".matrices .live")).to_contain_text("hidden by the mask")


@pytest.mark.slow
def test_the_page_keeps_its_lesson_while_others_are_visited(visit):
    page = visit(link("scaling", scores="1,2"))
    picture(page)
    page.get_by_role("link", name="Heads").click()
    page.wait_for_function("location.pathname === '/heads'")
    settled(page)
    page.get_by_role("link", name="Lessons").click()
    expect(page.get_by_role("radio", name="scaling")).to_be_checked()
    expect(page.get_by_role("textbox", name="Scores")).to_have_value("1,2")


def test_an_older_link_leads_to_the_lesson_that_shows_the_same(visit):
    page = visit("layers?layers=lens&model=translate-guided&lens_stack=encoder")
    page.wait_for_function("location.pathname === '/lessons'")
    picture(page)
    expect(page.get_by_role("radio", name="layers", exact=True)).to_be_checked()
    expect(page.get_by_role("radio", name="encoder", exact=True)).to_be_checked()


LUMINANCE = """(node, colour) => {
    const [red, green, blue] = getComputedStyle(node)[colour].match(/[\\d.]+/g).map(Number);
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("view", "words", "colour"),
    [
        ("masks", ".matrices figcaption", "color"),
        ("parts", ".architecture text", "fill"),
        ("counts", ".stTable, .stMarkdown", "color"),
    ],
)
def test_words_stand_out_from_the_page_in_both_themes(visit, view, words, colour):
    page = visit(link(view), color_scheme="light")
    picture(page)
    said = page.locator(words).first
    shades = []
    for scheme in ("light", "dark"):
        in_scheme(page, scheme)
        shades.append(said.evaluate(LUMINANCE, colour))
    assert shades[0] < 0.4 < shades[1]
