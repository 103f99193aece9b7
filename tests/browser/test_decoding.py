"""The decoding stepper in a real browser: what is drawn, read, sent and saved."""

import pytest
from playwright.sync_api import expect

from pages.frame.language import percent
from tests.browser.apps import decoding_cases
from tests.browser.component import choose, expect_heard, press
from tests.viz.unpacked import unpack_decoding
from viz import theme
from viz.stepper.decoding import pack_decoding

pytestmark = [pytest.mark.browser, pytest.mark.slow]
BARS = """bars => bars.map(bar => ({
    text: bar.querySelector('.name').textContent,
    number: Number(bar.querySelector('.number').title.replace('−', '-')),
    percent: bar.querySelector('.number').textContent,
    share: parseFloat(bar.querySelector('.fill').style.width),
    marks: ['chosen', 'true'].filter(kind =>
        getComputedStyle(bar.querySelector(`.mark.${kind}`)).display !== 'none'),
}))"""


def go_to(page, step):
    page.locator(".scrubber").focus()
    press(page, "Home", *["ArrowRight"] * step)


def column(page, name):
    return page.locator(f".column.{name}")


def bars(page, name):
    return column(page, name).locator(".option:not(.absent)").evaluate_all(BARS)


def in_percent(p):
    """Return a share as the text above the bars has it, but always with a digit."""
    text = percent(p)
    return text if p in (0, 1) or "." in text else text.replace("\xa0%", ".0\xa0%")


@pytest.fixture(scope="module")
def known():
    """The view with its weights as the component gets them."""
    return unpack_decoding(pack_decoding(decoding_cases.known()))


def test_bars_show_the_distribution_in_falling_order_with_chosen_and_true_marked(show, known):
    with show("decoding", "known") as page:
        # Four and what is chosen or true, until more are asked for.
        assert len(bars(page, "free")) == 5
        column(page, "free").get_by_role("button", name="show more").click()
        for i, name in [(0, "free"), (3, "free"), (3, "forced")]:
            go_to(page, i)
            shown, step = bars(page, name), getattr(known, name).steps[i]
            assert [bar["text"] for bar in shown[:10]] == [each.label.text for each in step.top]
            for bar, each in zip(shown, step.top, strict=False):
                assert bar["number"] == pytest.approx(each.probability, rel=5e-3)
                assert bar["percent"] == in_percent(each.probability)
                assert bar["share"] == pytest.approx(100 * each.probability, abs=0.01)
            assert shown[-1]["text"] == "all others"
            assert sum(bar["number"] for bar in shown) == pytest.approx(1.0, abs=0.005)
        go_to(page, 2)
        marks = {bar["text"]: bar["marks"] for bar in bars(page, "free") if bar["marks"]}
        assert marks == {"noir": ["true"], "chien": ["chosen"]}


def test_the_pointer_and_the_keyboard_read_a_weight_in_three_digits(show, known):
    cross = known.free.cross[0, 0]
    with show("decoding", "known") as page:
        go_to(page, 1)
        column(page, "free").locator(".strip.source .look").nth(2).hover()
        expect(page.locator(".tooltip")).to_have_text(f"le → cat {cross[1, 2]:#.3g}")
        shade = theme.scale_table()[round(255 * float(cross[1, 2]))]
        cell = column(page, "free").locator(".strip.source .cell").nth(2)
        expect(cell).to_have_css("background-color", theme.colour(tuple(shade.tolist())))
        assert page.locator(".look.marked").count() == 2
        column(page, "forced").locator(".strip.target .look").nth(4).hover()
        expect(page.locator(".tooltip")).to_contain_text("hidden by the mask")
        column(page, "free").locator(".strip.source").focus()
        press(page, "ArrowRight", "ArrowRight")
        expect(page.locator(".live")).to_have_text(f"le → black {cross[1, 1]:#.3g}")


def test_steps_go_by_keyboard_and_the_server_is_told_where_the_visitor_rests(show):
    slider = ".scrubber"
    with show("decoding", "known") as page:
        page.locator(slider).focus()
        for key, step in [("ArrowRight", 2), ("End", 5), ("ArrowLeft", 4)]:
            press(page, key)
            expect(page.locator(slider)).to_have_attribute("aria-valuenow", str(step))
            expect(page.locator(".count")).to_have_text(f"step {step} of 5")
        expect(page.locator(".live")).to_contain_text("step 4 of 5. free running ici")
        expect_heard(page, "step", {"step": 3})
        page.locator(".following").click()
        expect_heard(page, "step", {"step": 4})
        # Steps on the way are not told one by one.
        expect(page.get_by_text("runs: 3")).to_be_visible()


def test_the_first_difference_is_marked_and_can_be_gone_to(show):
    with show("decoding", "sentence") as page:
        difference = page.locator(".dot.difference")
        assert [dot.get_attribute("data-step") for dot in difference.all()] == ["10"]
        # Of the words after it those alone are marked that are others than the true ones.
        assert page.locator(".dot.other").all_text_contents() == ["elle", "fatiguée"]
        page.get_by_role("button", name="first difference: step 11").click()
        expect(page.locator(".count")).to_have_text("step 11 of 16")
        go_to(page, 11)
        differing = column(page, "free").locator(".fed .chip.differs:not(.later)")
        assert differing.all_text_contents() == ["elle"]


def test_another_word_reaches_python(show, known):
    with show("decoding", "known") as page:
        go_to(page, 3)
        options = column(page, "free").locator(".option")
        options.first.focus()
        press(page, "ArrowDown", "Enter")
        token = known.free.steps[3].top[1].token
        expect_heard(page, "force", {"step": 3, "token": token})
        expect(options.nth(1)).to_be_focused()
        expect(page.locator(".count")).to_have_text("step 4 of 5")
        expect(page.locator(".dot.by-hand")).to_have_attribute("data-step", "2")


def test_the_step_and_the_head_stay_for_the_sentence_and_another_begins_anew(show):
    with show("decoding", "known", "&choose=1") as page:
        go_to(page, 3)
        page.locator("select.head").select_option("2")
        for case, steps in [("cross_only", "4 of 5"), ("sentence", "1 of 16")]:
            choose(page, case)
            expect(page.locator(".count")).to_have_text(f"step {steps}")
            # The legend names the mask only where something is hidden by it.
            expect(page.locator(".legend .masked")).to_be_visible(visible=case == "sentence")
        expect(page.locator("select.head")).to_have_value("2")


@pytest.mark.parametrize("case", ["prompt", "cross_only"])
def test_a_decoder_without_a_source_or_self_attention_is_drawn(show, case):
    with show("decoding", case) as page:
        expect(column(page, "free").locator(".strip:visible")).to_have_count(1)
