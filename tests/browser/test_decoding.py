"""The decoding stepper in a real browser: what is drawn, said and sent."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from pages.frame.language import percent
from tests.browser.apps import decoding_cases
from tests.browser.apps.maps_cases import HOSTILE
from viz import theme
from viz.stepper.decoding import pack_decoding, unpack_decoding

APP = "decoding"
SVG = "http://www.w3.org/2000/svg"
pytestmark = pytest.mark.browser


@pytest.fixture
def show(kept_pages):
    """Show the component on one case."""

    def opened(case, width=1280, scheme="light", **more):
        options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
        query = urlencode({"case": case, **more})
        return kept_pages.show(APP, ".decoding[data-drawn]", query, **options)

    return opened


def sent(case):
    """The view with its weights as the component gets them."""
    return unpack_decoding(pack_decoding(decoding_cases.CASES[case]()))


def slider(page):
    return page.locator(".scrubber")


def go_to(page, step):
    slider(page).press("Home")
    for _ in range(step):
        slider(page).press("ArrowRight")
    return page


def column(page, name):
    return page.locator(f".column.{name}")


def bars(page, name):
    """What each bar says, how long it is in per cent, and which marks are seen beside it."""
    return (
        column(page, name)
        .locator(".option:not(.absent)")
        .evaluate_all(
            """bars => bars.map(bar => ({
            text: bar.querySelector('.name').textContent,
            number: bar.querySelector('.number').title,
            percent: bar.querySelector('.number').textContent,
            share: parseFloat(bar.querySelector('.fill').style.width),
            marks: ['chosen', 'true'].filter(kind =>
                getComputedStyle(bar.querySelector(`.mark.${kind}`)).display !== 'none'),
        }))"""
        )
    )


def shown_number(text):
    return float(text.replace("−", "-"))


def in_percent(p):
    """Return a share as the text above the bars has it, but always with a digit."""
    text = percent(p)
    return text if p in (0, 1) or "." in text else text.replace("\xa0%", ".0\xa0%")


def colours(page, name, strip):
    return (
        column(page, name)
        .locator(f".strip.{strip} .cell")
        .evaluate_all("cells => cells.map(cell => getComputedStyle(cell).backgroundColor)")
    )


def scale(weights):
    table = theme.scale_table()
    return [theme.colour(tuple(table[round(float(weight) * 255)].tolist())) for weight in weights]


def test_bars_show_the_distribution_in_falling_order_and_sum_to_one(show):
    view = decoding_cases.known()
    with show("known") as page:
        for i, name in [(0, "free"), (3, "free"), (3, "forced")]:
            shown = bars(go_to(page, i), name)
            step = getattr(view, name).steps[i]
            assert [bar["text"] for bar in shown[:10]] == [each.label.text for each in step.top]
            for bar, each in zip(shown, step.top, strict=False):
                assert shown_number(bar["number"]) == pytest.approx(each.probability, rel=5e-3)
                assert bar["percent"] == in_percent(each.probability)
                assert bar["share"] == pytest.approx(100 * each.probability, abs=0.01)
            assert shown[-1]["text"] == "others"
            total = sum(shown_number(bar["number"]) for bar in shown)
            assert total == pytest.approx(1.0, abs=0.005)


def test_chosen_and_true_are_marked_by_shape_and_colour(show):
    with show("known") as page:
        go_to(page, 1)
        assert [b["text"] for b in bars(page, "free") if b["marks"] == ["chosen", "true"]] == [
            "chat"
        ]
        go_to(page, 2)
        marks = {bar["text"]: bar["marks"] for bar in bars(page, "free") if bar["marks"]}
        assert marks == {"noir": ["true"], "chien": ["chosen"]}
        looks = [
            column(page, "free")
            .locator(f".option.{kind} .mark.{kind}")
            .first.evaluate(
                "m => [getComputedStyle(m).backgroundColor, getComputedStyle(m).borderRadius]"
            )
            for kind in ("chosen", "true")
        ]
    assert looks[0][0] != looks[1][0]
    assert looks[0][1] != looks[1][1]


def test_strips_have_the_colours_of_their_weights_for_the_chosen_head(show):
    view = decoding_cases.known()
    with show("known") as page:
        for layer, head in [(0, 0), (1, 2)]:
            page.locator("select.layer").select_option(str(layer))
            page.locator("select.head").select_option(str(head))
            for name in ("free", "forced"):
                side = getattr(view, name)
                go_to(page, 3)
                assert colours(page, name, "source") == scale(side.cross[layer, head, 3])
                seen = colours(page, name, "target")
                assert seen[:4] == scale(side.self_[layer, head, 3, :4])
                assert seen[4] == "rgba(0, 0, 0, 0)"
        expect(page.get_by_text("runs: 1")).to_be_visible()


def test_the_server_is_told_where_the_visitor_comes_to_rest(show):
    with show("known") as page:
        go_to(page, 3)
        expect(page.get_by_text("rests: 3")).to_be_visible()
        page.locator(".following").click()
        expect(page.get_by_text("rests: 4")).to_be_visible()
        # Steps on the way are not told one by one: two runs for all of these.
        go_to(page, 2)
        expect(page.get_by_text("rests: 2")).to_be_visible()
        assert page.locator(".decoding").get_attribute("data-step") == "2"
        assert int(page.get_by_text("runs: ").inner_text().split()[1]) <= 5


def test_the_pointer_reads_a_weight_in_three_digits_and_marks_the_token(show):
    weight = sent("known").free.cross[0, 0, 1, 2]
    with show("known") as page:
        go_to(page, 1)
        column(page, "free").locator(".strip.source .look").nth(2).hover()
        expect(page.locator(".tooltip")).to_have_text(f"le → cat {weight:#.3g}")
        assert page.locator(".look.marked").count() == 2
        column(page, "forced").locator(".strip.target .look").nth(4).hover()
        expect(page.locator(".tooltip")).to_contain_text("hidden by the mask")


def test_weights_can_be_read_with_the_keyboard(show):
    weight = sent("known").free.cross[0, 0, 0, 1]
    with show("known") as page:
        column(page, "free").locator(".strip.source").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".live")).to_have_text(f"BOS → black {weight:#.3g}")


def test_steps_go_by_keyboard_without_asking_the_server(show):
    with show("known") as page:
        slider(page).focus()
        for key, step in [("ArrowRight", 1), ("End", 4), ("ArrowLeft", 3), ("Home", 0)]:
            page.keyboard.press(key)
            expect(slider(page)).to_have_attribute("aria-valuenow", str(step))
            expect(page.locator(".count")).to_have_text(f"step {step} / 4")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".live")).to_contain_text("step 1 / 4. free running chat")
        page.wait_for_timeout(200)
        expect(page.get_by_text("runs: 1")).to_be_visible()


def test_the_first_difference_is_marked_and_can_be_gone_to(show):
    with show("sentence") as page:
        marked = page.locator(".dot.difference")
        assert [dot.get_attribute("data-step") for dot in marked.all()] == ["10"]
        assert page.locator(".dot.after").count() == 5
        # Of the words after it those alone are marked that are others than the true ones.
        others = page.locator(".dot.other").all_text_contents()
        assert others == ["elle", "fatiguée"]
        page.get_by_role("button", name="first difference: step 10").click()
        expect(page.locator(".count")).to_have_text("step 10 / 15")
        go_to(page, 11)
        differing = column(page, "free").locator(".fed .chip.differs:not(.later)")
        assert differing.all_text_contents() == ["elle"]
        assert column(page, "free").locator(".fed .chip.now").all_text_contents() == ["elle"]


def test_another_word_a_wrong_word_and_the_way_back_reach_python(show):
    step = decoding_cases.known().free.steps[3]
    other = step.top[1]
    with show("known") as page:
        go_to(page, 3)
        column(page, "free").locator(".option").nth(1).click()
        expect(page.get_by_text(f"force {{'step': 3, 'token': {other.token}}}")).to_be_visible()
        expect(page.locator(".count")).to_have_text("step 3 / 4")
        page.get_by_role("button", name="corrupt this token").click()
        expect(page.get_by_text("corrupt {'step': 3}")).to_be_visible()
        go_to(page, 2)
        expect(page.locator(".dot.by-hand")).to_have_attribute("data-step", "2")
        page.get_by_role("button", name="undo").click()
        expect(page.get_by_text("undo {'step': 2}")).to_be_visible()


def test_another_word_can_be_forced_with_the_keyboard(show):
    step = decoding_cases.known().free.steps[0]
    with show("known") as page:
        column(page, "free").locator(".option").first.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"'token': {step.top[1].token}}}")).to_be_visible()
        expect(column(page, "free").locator(".option").nth(1)).to_be_focused()


def test_the_table_tells_what_is_fed_at_each_step(show):
    with show("known") as page:
        page.locator("details.table summary").click()
        rows = page.locator("tbody tr")
        rows.nth(3).wait_for()
        cells = rows.nth(3).locator("th, td").all_text_contents()
        assert cells == ["3", "BOS le chat chien", "ici", "BOS le chat noir", "dort"]
        rows.nth(3).click()
        expect(page.locator(".count")).to_have_text("step 3 / 4")
        expect(rows.nth(3)).to_have_attribute("aria-current", "step")


def test_the_chart_reads_a_step_and_goes_to_it(show):
    view = decoding_cases.known()
    with show("known") as page:
        page.locator("details.chart summary").click()
        panel = page.locator(".panel > svg").first
        panel.scroll_into_view_if_needed()
        box = panel.bounding_box()
        x = 38 + (box["width"] - 46) * 3.5 / 5
        panel.hover(position={"x": x, "y": 50})
        expect(page.locator(".tooltip")).to_have_text(f"step 3 / 4{view.divergence[3]:#.3g}")
        panel.click(position={"x": x, "y": 50})
        expect(page.locator(".count")).to_have_text("step 3 / 4")


def test_the_step_and_the_head_stay_for_the_sentence_and_another_begins_anew(show):
    with show("sentence", choose=1) as page:
        go_to(page, 12).locator("select.head").select_option("2")

        def choose(case, steps):
            page.get_by_role("radio", name=case, exact=True).click(force=True)
            expect(page.locator(".count")).to_have_text(steps)

        choose("alone", "step 12 / 15")
        choose("opened", "step 4 / 15")
        choose("sentence", "step 0 / 15")
        go_to(page, 3)
        choose("by_hand", "step 3 / 15")
        choose("known", "step 0 / 4")
        expect(page.locator("select.head")).to_have_value("2")


def test_hostile_tokens_are_plain_text(show):
    with show("hostile") as page:
        slider(page).press("End")
        chips = column(page, "free").locator(".fed .chip")
        assert chips.all_text_contents() == ["BOS", *HOSTILE[:-1]]
        page.locator("details.table summary").click()
        column(page, "free").locator(".strip.source .look").nth(3).hover()
        expect(page.locator(".tooltip")).to_contain_text("مرحبا → {key}")
        assert page.evaluate("window.hurt") is None
        assert page.locator(".decoding script, .decoding img").count() == 0


@pytest.mark.parametrize(("case", "width"), [("hostile", 600)])
def test_narrow_windows_need_no_sideways_scrolling(show, case, width):
    with show(case, width=width) as page:
        for details in ("table", "chart"):
            page.locator(f"details.{details} summary").click()
        root = page.locator(".decoding").bounding_box()
        for part in (".controls", ".scrubber", ".column.forced .bars", "table", ".panels"):
            box = page.locator(part).bounding_box()
            assert box["x"] + box["width"] <= root["x"] + root["width"] + 1, part
        scrolls = page.evaluate(
            "[document.documentElement, document.querySelector('.stMain')]"
            ".some(e => e.scrollWidth > e.clientWidth)"
        )
    assert not scrolls


def test_the_step_that_is_shown_is_saved_as_a_picture(show):
    with show("known") as page:
        go_to(page, 2)
        said = bars(page, "free")
        fed = column(page, "free").locator(".fed .chip:not(.later)").all_inner_texts()
        n_hidden = column(page, "forced").locator(":is(.chip, .look).masked").count()
        files = {}
        for ending in ("svg", "png"):
            with page.expect_download() as found:
                page.locator(f".tools .{ending}").click()
            name = found.value.suggested_filename
            assert re.fullmatch(rf"decoding-step-2-\d+-layer-0-head-0\.{ending}", name)
            files[ending] = Path(found.value.path()).read_bytes()
    assert files["png"].startswith(b"\x89PNG")
    written = [text.text for text in ET.fromstring(files["svg"]).iter(f"{{{SVG}}}text")]
    # Everything that the screen says of the step, in this order.
    wanted = iter(written)
    assert all(text in wanted for text in fed)
    assert {"small: the black cat", "chosen", "true", "hidden by the mask"} <= set(written)
    # Words that are hidden are hatched: as chips, above what is looked at, and in the legend.
    hatched = list(ET.fromstring(files["svg"]).iter(f"{{{SVG}}}path"))
    assert len(hatched) == n_hidden + 1 > 1
    for bar in said:
        assert {bar["text"], bar["percent"]} <= set(written)
