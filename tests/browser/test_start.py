"""The first screen in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, served
from tests.browser.waiting import settled

pytestmark = pytest.mark.browser


def start(visit, **options):
    page = visit("", **options)
    page.locator(".whole[data-drawn]").wait_for(timeout=60_000)
    settled(page)
    return page


def test_the_whole_picture_is_on_the_first_screen(visit):
    page = start(visit, viewport={"width": 1280, "height": 720})
    legend = page.locator(".whole .note").bounding_box()
    assert legend["y"] + legend["height"] <= 720


@pytest.mark.slow
def test_a_new_server_shows_the_picture_before_all_else_and_goes_on_from_its_step(new_page):
    with served(ROOT / "app.py") as address:
        page = new_page()
        page.goto(address)
        picture = page.locator(".whole[data-drawn]")
        picture.wait_for(timeout=60_000)
        links = page.get_by_test_id("stTopNavLink")
        assert links.count() == 0
        page.get_by_role("slider", name="Steps of decoding").press("Home")
        page.evaluate("() => document.fonts.ready.then(() => true)")
        box = picture.bounding_box()
        picture.evaluate("node => { window.painted = node; }")
        links.first.wait_for(timeout=60_000)
        settled(page)
        assert picture.evaluate("node => node === window.painted")
        assert picture.bounding_box() == box
        slider = page.get_by_role("slider", name="Steps of decoding")
        expect(slider).to_have_attribute("aria-valuenow", "0")
        page.get_by_role("button", name="wide").click()
        expect(page.locator(".words .changed").first).to_have_text("wide")
        page.wait_for_function("location.search.startsWith('?sentence=')")


@pytest.mark.slow
def test_a_head_silenced_before_there_is_a_model_is_silenced_when_it_has_come(new_page):
    with served(ROOT / "app.py") as address:
        page = new_page()
        page.goto(address)
        page.locator(".whole[data-drawn]").wait_for(timeout=60_000)
        page.locator('.blocks button[data-site="encoder.2.self"]').press("Enter")
        silence = page.get_by_role("button", name="Silence head 0")
        silence.click()
        expect(silence).to_have_css("cursor", "progress")
        expect(page.get_by_role("button", name="Switch head 0 on")).to_be_visible(timeout=60_000)
        expect(page.locator(".st-key-seen")).to_contain_text("Without encoder layer 2, head 0")


@pytest.mark.slow
def test_a_cell_of_a_head_inside_a_block_leads_to_its_number(visit):
    page = start(visit)
    page.locator('.blocks button[data-site="encoder.2.self"]').press("Enter")
    expect(page.locator(".inside .largest")).to_have_text(
        "largest weight: “it” looks at “animal”, 1.00"
    )
    page.keyboard.press("Escape")
    expect(page.locator(".inside")).to_be_hidden()
    page.locator('.blocks button[data-site="encoder.2.self"]').press("Enter")
    page.locator(".inside .map").first.click()
    # At once: the address does not name the head yet.
    cells = page.locator(".word-map canvas")
    cells.click(position={"x": 1.5 * cells.bounding_box()["width"] / 14, "y": 4})
    page.locator(".matrices[data-drawn]").first.wait_for()
    page.wait_for_function("location.search.includes('cell=0%2C0%2C1')")
    page.evaluate("history.back()")
    # The head is open again.
    expect(page.locator(".inside .keys bdi")).to_have_count(14)


@pytest.mark.slow
def test_the_keyboard_leads_from_play_to_a_block_its_heads_and_back(visit):
    page = start(visit)
    page.get_by_role("button", name="play").focus()
    focused = page.locator(".whole :focus")
    for _ in range(8):
        page.keyboard.press("Tab")
        if focused.get_attribute("data-side"):
            break
    # One stop for all words of the source, and from there up.
    expect(focused).to_have_text("it")
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_text("because")
    page.keyboard.press("ArrowUp")
    expect(focused).to_have_attribute("data-site", "encoder.0.self")
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_attribute("data-site", "decoder.0.self")
    page.keyboard.press("ArrowUp")
    expect(focused).to_have_attribute("data-site", "decoder.0.cross")
    page.keyboard.press("Enter")
    expect(focused).to_have_attribute("data-head", "0")
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_attribute("data-head", "1")
    page.keyboard.press("Escape")
    expect(focused).to_have_attribute("data-site", "decoder.0.cross")


@pytest.mark.slow
def test_a_head_inside_a_block_leads_to_all_maps_and_the_mark_back(visit):
    page = start(visit)
    page.locator('.blocks button[data-site="encoder.1.self"]').press("Enter")
    page.locator(".inside .map").nth(3).click()
    page.wait_for_function("location.search.includes('pass_block=encoder.1.self%3A3')")
    page.get_by_role("button", name="compare all maps").click()
    page.locator(".maps[data-drawn]").wait_for()
    page.wait_for_function("location.search.includes('layer=1')")
    expect(page.locator(".map figcaption")).to_contain_text("layer 1, head 3")
    page.get_by_role("link", name="The whole pass").click()
    page.locator(".whole[data-drawn]").wait_for()
    page.get_by_role("button", name="wide").click()
    expect(page.locator(".words .changed").first).to_have_text("wide")
    expect(page.get_by_text("There is no view")).to_have_count(0)


def test_steps_go_by_in_the_browser_and_the_address_holds_where_they_rest(visit):
    page = start(visit)
    slider = page.get_by_role("slider", name="Steps of decoding")
    expect(slider).to_have_attribute("aria-valuenow", "11")
    slider.press("Home")
    expect(page.locator(".said")).to_have_text(
        "The encoder has read the source; the decoder is fed next."
    )
    slider.press("ArrowRight")
    expect(page.locator(".said")).to_contain_text("up to “BOS”, writes “L'”")
    page.wait_for_function("location.search.includes('pass_step=1')")
    expect(page.locator(".whole .words .later")).to_have_count(15)
    slider.press("End")
    # Written, and fed to no step.
    expect(page.locator(".whole .words .next")).to_have_text("EOS")


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
LAPTOP = {"viewport": {"width": 1280, "height": 720}}
CORNERS = """all => all.map((node) => node.getBoundingClientRect())
    .map(({ left, top, right, bottom }) => [left, top, right, bottom])"""


@pytest.mark.slow
@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_an_open_block_covers_neither_words_nor_what_is_written(visit, size):
    page = start(visit, **size)
    for site in ("encoder.2.self", "decoder.0.self", "decoder.1.cross", "decoder.1.feed_forward"):
        page.locator(f'.blocks button[data-site="{site}"]').press("Enter")
        [(left, top, right, bottom)] = page.locator(".inside").evaluate_all(CORNERS)
        words = page.locator(".words .token:not(.later), .output .bar").evaluate_all(CORNERS)
        assert len(words) >= 14 + 12 + 5
        covered = [
            word
            for word in words
            if word[0] < right and left < word[2] and word[1] < bottom and top < word[3]
        ]
        assert not covered, site
        page.keyboard.press("Escape")


@pytest.mark.slow
def test_a_finger_finds_each_word_and_the_one_that_is_fed_is_in_sight(visit):
    page = start(visit, **PHONE)
    page.get_by_role("slider", name="Steps of decoding").press("End")
    fed = page.locator(".words .target.active").bounding_box()
    assert fed["width"] >= 24
    assert 0 <= fed["x"] <= 390 - fed["width"]
    output = page.locator(".output .bar.best").bounding_box()
    assert 0 <= output["x"] <= 390 - output["width"]


@pytest.mark.slow
def test_where_a_clicked_word_looks_stands_below_what_the_step_does(visit):
    page = start(visit)
    page.locator(".words .source").nth(1).click()
    lines = page.locator(".said > span")
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text("step 11 of 16")
    expect(lines.last).to_contain_text("“animal” looks most at")
    page.get_by_role("slider", name="Steps of decoding").press("ArrowRight")
    expect(lines).to_have_count(1)


@pytest.mark.slow
def test_another_line_stands_in_place_of_what_is_seen_while_the_picture_plays(visit):
    page = start(visit)
    seen, meanwhile = page.locator(".st-key-seen p").first, page.locator(".st-key-meanwhile p")
    expect(meanwhile).to_be_hidden()
    page.get_by_role("button", name="play").click()
    expect(seen).to_be_hidden()
    expect(meanwhile).to_be_visible()
    expect(page.locator(".said")).to_contain_text("step 1 of 16")
    page.get_by_role("button", name="pause").click()
    expect(seen).to_be_visible()
    expect(seen).to_contain_text("At step")
    expect(meanwhile).to_be_hidden()


@pytest.mark.slow
def test_another_word_is_lit_and_the_way_back_leads_to_the_first_sentence(visit):
    page = start(visit)
    page.get_by_role("button", name="wide").press("Enter")
    expect(page.locator(".words .changed")).to_have_text(["wide", "elle", "large"])
    page.reload()
    page.locator(".whole[data-drawn]").wait_for()
    settled(page)
    expect(page.get_by_role("textbox", name="Sentence", exact=True)).to_have_value(
        "The animal didn't cross the street because it was too wide."
    )
    page.evaluate("history.back()")
    expect(page.get_by_role("textbox", name="Sentence", exact=True)).to_have_value(
        "The animal didn't cross the street because it was too tired."
    )


@pytest.mark.slow
def test_a_link_for_a_slide_leaves_all_but_the_picture_out(visit):
    page = visit("?only=picture&sentence=The+dog+slept.")
    page.locator(".whole[data-drawn]").wait_for(timeout=60_000)
    expect(page.get_by_text("What you see:")).to_be_visible()
    for hidden in ("textbox", "combobox"):
        expect(page.get_by_role(hidden)).to_have_count(0)
    expect(page.get_by_role("link", name="Lessons")).to_have_count(0)


@pytest.mark.slow
def test_an_older_link_to_a_view_of_attention_opens_it(visit):
    page = visit("?view=lines&model=translate")
    page.locator(".lines[data-drawn]").wait_for(timeout=60_000)
    assert "/attention?" in page.url
