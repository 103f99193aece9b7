"""The drawing of a model in a real browser: what is drawn, said and sent."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.apps.architecture_models import described

APP = "architecture"
pytestmark = pytest.mark.browser


def part_ids(*model, **more):
    return described(*model, **more).ids


@pytest.fixture
def show(kept_pages):
    """Show the drawing of a model."""

    def opened(encoder=3, decoder=2, norm="post", *, width=640, scheme="light", **asked):
        query = urlencode({"encoder": encoder, "decoder": decoder, "norm": norm, **asked})
        options = {"viewport": {"width": width, "height": 1000}, "color_scheme": scheme}
        return kept_pages.show(APP, ".architecture[data-drawn]", query, **options)

    return opened


def part(page, part_id):
    return page.locator(f'.part[data-part="{part_id}"]')


def shown(page):
    return page.locator(".part").evaluate_all("parts => parts.map(part => part.dataset.part)")


def arrows(page):
    return page.locator(".arrow").evaluate_all(
        "arrows => arrows.map(({ dataset: { kind, from, to } }) => [kind, from, to])"
    )


def select(page, part_id):
    part(page, part_id).click(position={"x": 12, "y": 8})
    expect(page.get_by_text(f"selected: {part_id}", exact=True)).to_be_visible()
    expect(part(page, part_id)).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(("encoder", "decoder", "norm"), [(3, 2, "post")])
def test_every_part_is_there_in_its_order_and_can_be_clicked(show, encoder, decoder, norm):
    ids = part_ids(encoder, decoder, norm)
    with show(encoder, decoder, norm) as page:
        assert shown(page) == list(ids)
        for part_id in ids[::6]:
            select(page, part_id)
            pressed = page.locator('.part[aria-pressed="true"]')
            assert pressed.evaluate_all("all => all.map(e => e.dataset.part)") == [part_id]


def test_parts_are_named_for_those_who_do_not_see_them(show):
    with show(1, 1) as page:
        for part_id, name in [
            ("encoder.embedding", "encoder: Embedding, 15 × 128"),
            ("decoder.0.self", "decoder layer 0: Masked self-attention, 15 × 128, 4 heads"),
            ("decoder.0.cross.norm", "decoder layer 0: Add & Norm after Cross-attention, 15 × 128"),
            ("output", "Linear output, 128 → 137"),
        ]:
            expect(page.get_by_role("button", name=name, exact=True)).to_have_attribute(
                "data-part", part_id
            )
        part(page, "decoder.0.cross").hover()
        expect(page.locator(".tooltip")).to_have_text(
            "decoder layer 0: Cross-attention15 × 12, 4 heads"
        )


def test_arrow_keys_follow_the_data_and_change_stacks(show):
    with show() as page:
        part(page, "encoder.0.self").focus()
        for key, expected in [
            ("ArrowUp", "encoder.0.self.norm"),
            ("ArrowUp", "encoder.0.feed_forward"),
            ("ArrowDown", "encoder.0.self.norm"),
            ("Home", "encoder.embedding"),
            ("ArrowDown", "encoder.embedding"),
            ("ArrowLeft", "encoder.embedding"),
            ("ArrowRight", "decoder.embedding"),
            ("ArrowUp", "decoder.positions"),
            ("ArrowUp", "decoder.0.self"),
            ("End", "softmax"),
            ("ArrowLeft", "encoder.2.feed_forward.norm"),
        ]:
            page.keyboard.press(key)
            expect(part(page, expected)).to_be_focused()
        ring = part(page, "encoder.2.feed_forward.norm").locator(".ring")
        assert ring.evaluate("ring => getComputedStyle(ring).display") != "none"
        expect(page.get_by_text("selected: encoder.0.self", exact=True)).to_be_visible()


def test_a_key_picks_and_the_focus_stays(show):
    with show() as page:
        part(page, "encoder.0.self").focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        expect(page.get_by_text("selected: encoder.0.self.norm", exact=True)).to_be_visible()
        expect(part(page, "encoder.0.self.norm")).to_be_focused()
        expect(part(page, "encoder.0.self.norm")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("ArrowUp")
        expect(part(page, "encoder.0.feed_forward")).to_be_focused()


def test_the_focus_goes_into_a_layer_that_opens(show):
    with show(6, 6) as page:
        part(page, "encoder.4.self").focus()
        page.keyboard.press("Enter")
        expect(part(page, "encoder.4.self.norm")).to_have_count(1)
        expect(part(page, "encoder.4.self")).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(part(page, "encoder.4.self.norm")).to_be_focused()


def test_the_tab_key_goes_past_the_parts_in_one_step(show):
    with show() as page:
        stops = page.locator('.part[tabindex="0"]')
        expect(stops).to_have_attribute("data-part", "encoder.0.self")
        part(page, "decoder.0.cross").click()
        expect(stops).to_have_attribute("data-part", "decoder.0.cross")


def test_another_choice_redraws_in_place(show):
    with show() as page:
        page.locator(".part").evaluate_all("parts => parts.forEach(part => { part.kept = true; })")
        before = page.locator(".part, .arrow, .word").count()
        select(page, "decoder.1.cross")
        assert page.locator(".part, .arrow, .word").count() == before
        assert page.locator(".part").evaluate_all("parts => parts.every(part => part.kept)")
        assert page.locator(".architecture").get_attribute("data-drawn") == "2"
        assert page.evaluate("performance.getEntriesByName('architecture-drawn').length") == 1
        near = {tuple(each) for each in arrows(page) if "decoder.1.cross" in each}
        assert page.locator(".arrow.near").count() == len(near) == 3


@pytest.mark.parametrize(("model", "width"), [((3, 2, "post"), 392), ((6, 6, "pre"), 592)])
def test_the_picture_fits_its_width_and_words_fit_their_boxes(show, model, width):
    with show(*model, width=width) as page:
        picture = page.locator(".picture").bounding_box()
        assert picture["width"] <= min(700, width)
        assert picture["height"] <= 700
        outside = page.locator(".picture").evaluate(
            """picture => {
            const all = picture.getBoundingClientRect();
            const within = (inner, outer) => inner.left >= outer.left - 0.5
                && inner.right <= outer.right + 0.5 && inner.top >= outer.top - 0.5
                && inner.bottom <= outer.bottom + 0.5;
            const rect = node => node.getBoundingClientRect();
            const wrong = [...picture.querySelectorAll('rect:not(.ring), text, path')]
                .filter(node => !within(rect(node), all));
            for (const part of picture.querySelectorAll('.part')) {
                for (const text of part.querySelectorAll('text')) {
                    if (!within(rect(text), rect(part.querySelector('.box')))) wrong.push(text);
                }
            }
            return wrong.map(node => node.outerHTML);
        }"""
        )
        assert outside == []
        overlapping = page.locator(".part .box").evaluate_all(
            """boxes => boxes.filter((box, i) => boxes.slice(i + 1).some(other => {
            const [a, b] = [box.getBoundingClientRect(), other.getBoundingClientRect()];
            return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        })).length"""
        )
        assert overlapping == 0
        assert page.evaluate("document.querySelector('.stMain').scrollWidth") <= width


LINES_THROUGH = """picture => {
    const rects = [...picture.querySelectorAll('.part .box, .word, .token-pill')]
        .map(node => [node, node.getBoundingClientRect()]);
    const corner = picture.getBoundingClientRect();
    const [left, top] = picture.getAttribute('viewBox').split(' ').map(Number);
    const through = [];
    for (const path of picture.querySelectorAll('.arrow path:not(.head)')) {
        const { from, to } = path.parentElement.dataset;
        for (let at = 0; at < path.getTotalLength(); at += 1) {
            const point = path.getPointAtLength(at);
            const [x, y] = [point.x - left + corner.left, point.y - top + corner.top];
            const hit = rects.find(([, r]) => (
                x > r.left + 1.5 && x < r.right - 1.5 && y > r.top + 1.5 && y < r.bottom - 1.5));
            if (hit) through.push(`${from} to ${to} through ${hit[0].outerHTML}`);
        }
    }
    return [...new Set(through)];
}"""


def test_no_arrow_runs_through_a_box_or_a_word(show):
    with show(6, 6, "pre", width=392) as page:
        assert page.locator(".picture").evaluate(LINES_THROUGH) == []


def test_hostile_texts_are_plain_text(show):
    with show(1, 1, hostile=1) as page:
        assert part(page, "decoder.0.cross").locator("text").first.text_content() == "<b>&"
        assert page.locator(".architecture b").count() == 0
        ET.fromstring(saved(page))


def saved(page):
    with page.expect_download() as download:
        page.locator(".tools .svg").click()
    assert download.value.suggested_filename == "architecture.svg"
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_the_saved_picture_stands_by_itself(show):
    with show(scheme="dark") as page:
        boxes = page.locator(".part").count()
        text = saved(page)
        assert page.locator(".picture.printed").count() == 0
    picture = ET.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert picture.tag == f"{space}svg"
    assert not re.search(r"var\(|class=\"picture|color-mix|color\(|url\(", text)
    paper = picture[0]
    assert (paper.tag, paper.get("fill")) == (f"{space}rect", "#ffffff")
    assert len(picture.findall(f".//{space}g[@data-part]")) == boxes
    words = [each for each in picture.iter(f"{space}text") if each.text == "Cross-attention"]
    assert len(words) == 2
    assert int(words[0].get("fill")[1:3], 16) < 60, "dark ink, even from a dark page"
    assert words[0].get("font-size") == "12px"
    assert picture.get("font-family")
