"""The app in a real browser, as a visitor uses it."""

import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import ROOT, served
from tests.browser.waiting import settled

TIRED = "L’animal n’a pas traversé la rue parce qu’il était trop fatigué."
WIDE = "L’animal n’a pas traversé la rue parce qu’elle était trop large."
PAGES = ["The pass", "Attention", "Heads", "Decoding", "Lessons", "Training"]
PAGES += ["Experiments", "Tour", "Glossary", "中文"]
pytestmark = pytest.mark.browser


def drawn(page):
    page.locator(".maps[data-drawn]").wait_for()
    return page


def title(page):
    return page.locator(".map figcaption")


def translation(page):
    return page.locator(".st-key-written p").first


def type_sentence(page, sentence):
    box = page.get_by_role("textbox", name="Sentence")
    box.fill(sentence)
    box.press("Enter")


@pytest.mark.slow
def test_a_typed_sentence_is_translated_and_it_looks_at_its_antecedent(visit):
    page = drawn(visit("attention?view=maps"))
    type_sentence(page, "The animal didn't cross the street because it was too wide.")
    expect(translation(page)).to_have_text(WIDE)
    type_sentence(page, "The animal didn't cross the street because it was too tired.")
    expect(translation(page)).to_have_text(TIRED)
    assert weight_under_pointer(page, row=8, column=1, of=14)[0] == "it → animal"
    assert weight_under_pointer(page, row=8, column=1, of=14)[1] > 0.9
    assert weight_under_pointer(page, row=8, column=6, of=14)[1] < 0.1


def weight_under_pointer(page, row, column, of):
    """Point at a cell; return the pair of words and the weight that are shown there."""
    expect(page.locator(".maps")).to_have_attribute("data-exact", "true")
    box = page.locator(".cells").bounding_box()
    page.mouse.move(
        box["x"] + (column + 0.5) * box["width"] / of, box["y"] + (row + 0.5) * box["height"] / of
    )
    said = page.locator(".tooltip").inner_text()
    words, number = re.fullmatch(r"(.*?)\s+([\d.]+(?:e−\d+)?)", said).groups()
    return words, float(number.replace("−", "-"))


# Streamlit lists pages in a sidebar of its own until app.py has said which there are.
WATCH = """
window.listed = new Set();
new MutationObserver(() => {
    for (const link of document.querySelectorAll('[data-testid=stSidebarNavLink]')) {
        const [name] = link.innerText.split('\\n').slice(-1);
        window.listed.add(name);
    }
}).observe(document, { childList: true, subtree: true, characterData: true });
"""


@contextmanager
def first_visit(browser, link, **options):
    """Open a page of the app as the first visitor of a server does, by a deep link."""
    with served(ROOT / "app.py") as address:
        page = browser.new_page(**options)
        page.add_init_script(WATCH)
        page.goto(f"{address}/{link}")
        yield page
        page.close()


def listed_in_sidebar(page):
    """Return every page that a sidebar has listed since the page was opened."""
    return set(page.evaluate("[...window.listed]"))


# Each needs a server of its own; a page's own path is also what the phone below comes by.
@pytest.mark.slow
@pytest.mark.parametrize("path", ["", "attention"])
def test_the_first_visit_to_a_fresh_server_by_deep_link_shows_the_page_in_its_frame(browser, path):
    link = f"{path}?model=translate&sentence=The+cat+slept.&kind=cross&layer=1&head=2"
    with first_visit(browser, link) as page:
        drawn(page)
        expect(translation(page)).to_have_text("Le chat a dormi.")
        expect(title(page)).to_contain_text("Decoder layer 1, head 2")
        expect(page).to_have_title(re.compile("Attention|seq2see"))
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_text("session", exact=True)).to_have_count(0)
        expect(page.get_by_test_id("stTopNavLink")).to_have_count(len(PAGES))
        assert listed_in_sidebar(page) == set()


@pytest.mark.slow
def test_on_a_phone_the_first_visit_lists_no_pages_but_those_of_the_app(browser):
    phone = {"viewport": {"width": 390, "height": 800}, "color_scheme": "dark"}
    with first_visit(browser, "heads", **phone) as page:
        page.get_by_test_id("stExpandSidebarButton").click()
        expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(len(PAGES))
        assert listed_in_sidebar(page) == set(PAGES)
        page.get_by_test_id("stSidebarNavLink").filter(has_text="Lessons").click()
        # Chosen, it leaves the page to be seen.
        expect(page.get_by_test_id("stSidebarNavLink").first).not_to_be_in_viewport()
        expect(page.get_by_role("radio", name="embedding")).to_be_visible()


@pytest.mark.slow
def test_the_view_survives_reload_and_the_way_back(visit):
    page = drawn(visit("attention?model=translate"))
    page.get_by_role("radio", name="cross").click()
    expect(title(page)).to_contain_text("Decoder layer")
    page.locator(".tile").nth(3).click()
    expect(title(page)).to_contain_text("layer 0, head 3")
    expect(page).to_have_url(re.compile("head=3"))
    page.reload()
    expect(title(drawn(page))).to_contain_text("Decoder layer 0, head 3")
    page.get_by_role("button", name="wide").click()
    expect(translation(page)).to_have_text(WIDE)
    page.go_back()
    expect(translation(page)).to_have_text(TIRED)
    expect(title(page)).to_contain_text("Decoder layer 0, head 3")


@pytest.mark.slow
def test_everything_can_be_done_with_the_keyboard(visit):
    page = drawn(visit("attention?view=maps"))
    page.get_by_role("textbox", name="Sentence").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("The cat slept.")
    page.keyboard.press("Enter")
    expect(translation(page)).to_have_text("Le chat a dormi.")
    page.locator(".tile[tabindex='0']").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(title(page)).to_contain_text("Encoder layer 1, head 0")
    expect(page).to_have_url(re.compile("layer=1"))
    page.locator(".cells").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".live")).to_contain_text("→")


HOSTILE = [
    "<script>alert(1)</script> <img src=x onerror=alert(2)> </s>",
    "$x^2$ **bold** :smile: [a](javascript:alert(3)) `c`",
    "שלום עולם مرحبا 😀🇫🇷 ...!!!",
]


@pytest.mark.slow
def test_whatever_is_typed_is_shown_as_it_is_and_not_executed(visit):
    page = drawn(visit("attention?view=maps"))
    page.get_by_text("whole words").click()
    for sentence in HOSTILE:
        type_sentence(page, sentence)
        # Each begins with another sign.
        expect(page.locator(".chips.source")).to_contain_text(sentence[0])
        expect(page.locator(".maps")).to_have_attribute("data-exact", "true")
        expect(page.get_by_text("never seen in training")).to_be_visible()
        expect(page.locator(".stException")).to_have_count(0)


@pytest.mark.slow
def test_what_is_chosen_after_a_switch_of_pages_stays_chosen(visit):
    page = visit("attention?view=lines")
    shown = page.get_by_role("radio", name="all heads")
    shown.click()
    expect(page.locator(".lines")).to_contain_text("all 4 heads")
    page.get_by_role("link", name="Decoding").click()
    page.locator(".decoding[data-drawn]").wait_for()
    page.get_by_role("link", name="Attention").click()
    expect(page.locator(".lines")).to_contain_text("all 4 heads")
    page.get_by_role("radio", name="one head").click()
    expect(page.locator(".lines")).not_to_contain_text("all 4 heads")
    settled(page)
    expect(page.locator(".lines")).not_to_contain_text("all 4 heads")
    expect(shown).not_to_be_checked()


@pytest.fixture
def runs():
    """How each run of a page ended, and what notes it of a frame that the browser receives."""
    found = []

    def note(frame):
        message = ForwardMsg.FromString(frame)
        if message.WhichOneof("type") == "script_finished":
            found.append(ForwardMsg.ScriptFinishedStatus.Name(message.script_finished))

    return found, note


@pytest.mark.slow
def test_another_head_and_another_kind_draw_the_view_alone(new_page, serve, runs):
    found, note = runs
    page = new_page()
    page.on("websocket", lambda socket: socket.on("framereceived", note))
    page.goto(f"{serve('app.py')}/attention?model=translate-guided")
    settled(drawn(page))
    before = len(found)
    page.locator(".tile").nth(6).click()
    expect(title(page)).to_contain_text("Encoder layer 1, head 2")
    expect(page).to_have_url(re.compile("layer=1&head=2"))
    # A click before the view is drawn whole would end its run early.
    settled(page)
    page.get_by_role("radio", name="cross").click()
    expect(title(page)).to_contain_text("Decoder layer 1, head 1")
    settled(page)
    assert len(found) >= before + 2
    assert set(found[before:]) == {"FINISHED_FRAGMENT_RUN_SUCCESSFULLY"}


@pytest.mark.slow
@pytest.mark.parametrize("path", ["decoding?decoding=tree&", "lessons?lessons=norm&"])
def test_what_a_chart_says_of_a_token_is_no_markup(visit, path):
    typed = "%3Cimg+src%3Dx+onerror%3Dalert(1)%3E+%3Cb%3Ebold%3C%2Fb%3E+a"
    page = visit(f"{path}model=copying&sentence={typed}")
    chart = page.locator(".stVegaLiteChart svg").first
    marks = chart.locator("g.mark-symbol.role-mark > path, g.mark-rect.role-mark > path")
    marks.first.wait_for(state="attached")
    tooltip = page.locator("#vg-tooltip-element")
    # Bars of nothing have no width.
    seen = [mark for mark in marks.all() if mark.is_visible()]
    assert seen
    for mark in seen[::5]:
        mark.hover(force=True)
        expect(tooltip).to_have_class(re.compile("visible"))
        assert tooltip.locator("b, img").count() == 0


@pytest.mark.slow
def test_next_and_back_keep_the_focus_so_that_enter_goes_on(visit):
    page = visit("attention?view=steps&model=translate-guided&stage=q·k")
    page.locator(".matrices[data-drawn]").nth(1).wait_for(timeout=60_000)
    settled(page)
    forth = page.get_by_role("button", name="Next step")
    forth.focus()
    for stage in ("÷ √d_k", "mask", "softmax"):
        page.keyboard.press("Enter")
        expect(page.get_by_role("radio", name=stage, exact=True)).to_be_checked()
        expect(forth).to_be_focused()
    page.get_by_role("button", name="Previous step").press("Enter")
    expect(page.get_by_role("radio", name="mask", exact=True)).to_be_checked()


@pytest.mark.slow
def test_a_page_that_lost_its_scripts_is_given_them_again(visit):
    page = drawn(visit("attention?view=maps"))
    page.evaluate("window.lentToComponents.clear()")
    # A part of the page is drawn again, and it has another component.
    page.get_by_role("radio", name="word", exact=True).click()
    page.locator(".strips[data-drawn]").wait_for()
    assert page.evaluate("window.lentToComponents.size") > 1
