"""The drawing of a model in a real browser: what is drawn, said and sent."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.apps.architecture_models import described

APP = "architecture"
MODELS = [(3, 2, "post"), (6, 6, "pre"), (1, 1, "post"), (1, 1, "pre"), (2, 0, "post")]
MANY = (12, 12, "post")
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


def opened_layer(page, stack):
    """The numbers of the layers of a stack that are shown in full."""
    found = re.findall(rf"{stack}\.(\d+)\.feed_forward(?= |$)", " ".join(shown(page)))
    return [int(number) for number in found]


@pytest.mark.parametrize(
    ("encoder", "decoder", "norm"), [(3, 2, "post"), (1, 1, "pre"), (2, 0, "post")]
)
def test_every_part_is_there_in_its_order_and_can_be_clicked(show, encoder, decoder, norm):
    ids = part_ids(encoder, decoder, norm)
    with show(encoder, decoder, norm) as page:
        assert shown(page) == list(ids)
        for part_id in ids:
            select(page, part_id)
            pressed = page.locator('.part[aria-pressed="true"]')
            assert pressed.evaluate_all("all => all.map(e => e.dataset.part)") == [part_id]


@pytest.mark.parametrize(("encoder", "decoder", "norm"), [(6, 6, "pre"), MANY])
def test_every_part_of_a_high_stack_is_reached_through_its_layer(show, encoder, decoder, norm):
    ids = part_ids(encoder, decoder, norm)
    reached = set()
    with show(encoder, decoder, norm) as page:
        height = page.locator(".picture").bounding_box()["height"]
        assert height <= 720
        for i in range(encoder):
            for stack in ("encoder", "decoder"):
                select(page, f"{stack}.{i}.self")
                assert opened_layer(page, "encoder") == opened_layer(page, "decoder") == [i]
                assert page.locator(".picture").bounding_box()["height"] == height
            reached |= set(shown(page))
        for part_id in ("decoder.3.cross.norm", "output", "encoder.embedding"):
            if part_id in ids and part(page, part_id).count():
                select(page, part_id)
    assert reached == set(ids)


def test_the_other_stack_opens_its_last_layer_where_it_has_no_like(show):
    with show(8, 6, selected="encoder.7.feed_forward") as page:
        assert opened_layer(page, "encoder") == [7]
        assert opened_layer(page, "decoder") == [5]
        assert part(page, "decoder.2.self").text_content() == "decoder layer 2"


def test_a_stack_that_fits_stays_whole_beside_one_that_does_not(show):
    with show(2, 6) as page:
        assert opened_layer(page, "encoder") == [0, 1]
        assert opened_layer(page, "decoder") == [0]


@pytest.mark.parametrize(("encoder", "decoder", "norm"), [*MODELS, MANY])
def test_arrows_are_what_the_model_computes(show, encoder, decoder, norm):
    with show(encoder, decoder, norm, selected="softmax") as page:
        drawn = arrows(page)
        ids = shown(page)
        folded = page.locator(".part.layer").count()
    kinds = Counter(kind for kind, _, _ in drawn)
    sublayers = [each for each in ids if re.fullmatch(r"\w+\.\d+\.\w+", each)]
    inner = [each for each in sublayers if f"{each}.norm" in ids]
    assert len(sublayers) - len(inner) == folded
    joins = "norm" if norm == "post" else "sum"
    assert {to for kind, _, to in drawn if kind == "residual"} == {f"{s}.{joins}" for s in inner}
    assert kinds["residual"] == len(inner)
    selves = sum(each.endswith(".self") for each in inner)
    crosses = sum(each.endswith(".cross") for each in inner)
    assert (kinds["key"], kinds["value"]) == (selves, selves)
    assert kinds["query"] == selves + crosses
    assert kinds["memory"] == decoder
    assert len({to for kind, _, to in drawn if kind == "memory"}) == decoder
    last = f"encoder.{encoder - 1}.feed_forward.norm" if norm == "post" else "encoder.norm"
    assert {start for kind, start, _ in drawn if kind == "memory"} <= {last}
    assert kinds["positions"] == kinds["tied"] == 2


@pytest.mark.parametrize(
    ("encoder", "decoder", "norm"), [(3, 2, "post"), (1, 1, "pre"), (0, 2, "post")]
)
def test_each_part_gets_its_input_and_hands_on_what_it_made(show, encoder, decoder, norm):
    with show(encoder, decoder, norm) as page:
        drawn = [(start, to) for kind, start, to in arrows(page) if kind != "tied"]
    starts, ends = {start for start, _ in drawn}, {to for _, to in drawn}
    ids = set(part_ids(encoder, decoder, norm))
    assert ids <= starts
    assert ids - {"encoder.positions", "decoder.positions"} <= ends
    assert ends - ids - starts == {"probabilities"}


def test_a_norm_stands_after_its_sublayer_or_before_it(show):
    for norm, after in [("post", True), ("pre", False)]:
        with show(1, 1, norm) as page:
            heights = [
                part(page, each).bounding_box()["y"]
                for each in ("decoder.0.cross", "decoder.0.cross.norm")
            ]
            drawn = arrows(page)
        assert (heights[1] < heights[0]) == after
        if norm == "post":
            assert ["residual", "decoder.0.self.norm", "decoder.0.cross.norm"] in drawn
            assert ["query", "decoder.0.self.norm", "decoder.0.cross"] in drawn
        else:
            assert ["residual", "decoder.0.self.sum", "decoder.0.cross.sum"] in drawn
            assert ["flow", "decoder.0.self.sum", "decoder.0.cross.norm"] in drawn


def test_one_matrix_is_drawn_as_such_only_if_it_is_one(show):
    with show(1, 1, tied=1) as page:
        assert sorted(each[1:] for each in arrows(page) if each[0] == "tied") == [
            ["decoder.embedding", "output"],
            ["encoder.embedding", "decoder.embedding"],
        ]
        expect(page.locator(".word.tie")).to_have_text("shared")
    with show(1, 1, tied=0) as page:
        assert "tied" not in {each[0] for each in arrows(page)}
        assert page.locator(".word.tie").count() == 0


def test_data_flows_upward_in_two_stacks_beside_each_other(show):
    with show() as page:
        boxes = {each: part(page, each).locator(".box").bounding_box() for each in shown(page)}
    for stack in ("encoder", "decoder"):
        flow = [box["y"] for each, box in boxes.items() if each.startswith(f"{stack}.")]
        assert flow == sorted(flow, reverse=True)
    right = max(box["x"] + box["width"] for each, box in boxes.items() if each[:3] == "enc")
    assert right < min(box["x"] for each, box in boxes.items() if each[:3] != "enc")


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


@pytest.mark.parametrize("key", ["Enter", " "])
def test_a_key_picks_and_the_focus_stays(show, key):
    with show() as page:
        part(page, "encoder.0.self").focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press(key)
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


@pytest.mark.parametrize("width", [392, 500, 592, 1280])
@pytest.mark.parametrize("model", [(3, 2, "post"), (6, 6, "pre")])
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


@pytest.mark.parametrize("width", [392, 592])
@pytest.mark.parametrize("model", [(3, 2, "post"), (6, 6, "pre"), (1, 1, "pre"), (0, 2, "post")])
def test_no_arrow_runs_through_a_box_or_a_word(show, model, width):
    with show(*model, width=width) as page:
        assert page.locator(".picture").evaluate(LINES_THROUGH) == []


def test_arrows_end_at_the_edge_of_what_they_lead_to(show):
    with show(2, 1) as page:
        ends = page.locator(".picture").evaluate(
            """picture => [...picture.querySelectorAll('.arrow:not(.tied) path:not(.head)')]
            .map(path => {
                const end = path.getPointAtLength(path.getTotalLength());
                const to = path.parentElement.dataset.to;
                const box = picture.querySelector(`.part[data-part="${to}"] .box`)?.getBBox();
                return box && [to, path.parentElement.dataset.kind,
                    end.x - box.x, end.y - box.y, box.width, box.height];
            }).filter(Boolean)"""
        )
    assert len(ends) == 2 * 8 + 13 + 4
    for to, kind, x, y, width, height in ends:
        if kind in ("flow", "query", "key", "value"):
            assert y == pytest.approx(height) and 0 < x < width, (to, kind)
        elif kind == "memory":
            assert x == pytest.approx(0) and 0 < y < height
        else:
            assert x == pytest.approx(0 if to.startswith("enc") else width), (to, kind)
            assert 0 < y < height


@pytest.mark.parametrize("memory", ["first", "same", "mixed"])
def test_arrows_from_lower_layers_leave_beside_them_and_each_goes_its_own_way(show, memory):
    with show(2, 2, "post", memory=memory, selected="softmax") as page:
        drawn = {(start, to) for kind, start, to in arrows(page) if kind == "memory"}
        ways = page.locator(".picture").evaluate(
            """picture => [...picture.querySelectorAll('.arrow.memory path:not(.head)')]
            .map(path => {
                const { from, to } = path.parentElement.dataset;
                const box = picture.querySelector(`.part[data-part="${from}"] .box`).getBBox();
                const start = path.getPointAtLength(0);
                // Where its longest stretch up or down is.
                const places = path.getAttribute('d').match(/-?[\\d.]+/g).map(Number);
                const ys = places.slice(2)
                    .map((y, i) => [i % 2 * Math.abs(y - places[i]), places[i - 1]]);
                const [, over] = ys.sort(([a], [b]) => b - a)[0];
                return [from, to, start.x - box.x, box.width, start.y - box.y, box.height, over];
            })"""
        )
    assert drawn == {
        (arrow.start, arrow.end)
        for arrow in described(2, 2, memory=memory).arrows
        if arrow.kind == "memory"
    }
    # Two for each arrow: of keys and of values.
    assert len(ways) == 2 * len(drawn) == {"first": 4, "same": 4, "mixed": 8}[memory]
    for start, _to, x, width, y, height, _over in ways:
        top = start.startswith("encoder.1")
        assert (x, y) == pytest.approx((width / 2, 0) if top else (width, height / 2))
    lanes = {(start, over) for start, to, *_, over in ways if to == "decoder.0.cross"}
    assert len(lanes) == len({over for _, over in lanes}) == (2 if memory == "mixed" else 1)


def test_another_width_draws_anew(show):
    with show(width=900) as page:
        wide = page.locator(".picture").bounding_box()["width"]
        page.set_viewport_size({"width": 420, "height": 1000})
        expect(page.locator(".architecture")).to_have_attribute("data-drawn", "2")
        assert page.locator(".picture").bounding_box()["width"] < wide


def test_missing_details_leave_one_line(show):
    with show(1, 1, bare=1) as page:
        assert page.locator(".detail").count() == 0
        assert part(page, "encoder.0.self").get_attribute("aria-label") == (
            "encoder layer 0: Self-attention"
        )


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


def test_the_saved_picture_is_the_same_from_both_themes_but_for_the_accent(show):
    texts = []
    for scheme in ("light", "dark"):
        with show(1, 1, scheme=scheme) as page:
            accent = page.locator('.part[aria-pressed="true"] .box').evaluate(
                "box => getComputedStyle(box).stroke"
            )
            red, green, blue = (int(each) for each in re.findall(r"\d+", accent)[:3])
            texts.append(saved(page).replace(f"#{red:02x}{green:02x}{blue:02x}", "accent"))
    assert texts[0] == texts[1]


def test_both_themes_can_be_read(show):
    for scheme, light in [("light", False), ("dark", True)]:
        with show(1, 1, scheme=scheme) as page:
            fill = (
                part(page, "output")
                .locator("text")
                .first.evaluate("text => getComputedStyle(text).fill")
            )
        assert (int(re.findall(r"\d+", fill)[0]) > 127) == light


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("width", [392, 592])
def test_a_sublayer_that_nobody_knows_is_drawn_like_any_other(show, norm, width):
    with show(1, 1, norm, width=width, gate=1) as page:
        assert shown(page) == list(part_ids(1, 1, norm, gate=True))
        gate = part(page, "decoder.0.gate")
        assert gate.get_attribute("aria-label") == "decoder layer 0: Gate, 15 × 128"
        heights = [
            part(page, f"decoder.0.{name}").bounding_box()["y"]
            for name in ("self", "gate", "cross", "feed_forward")
        ]
        assert heights == sorted(heights, reverse=True)
        joins = "norm" if norm == "post" else "sum"
        start = f"decoder.0.self.{joins}"
        assert ["residual", start, f"decoder.0.gate.{joins}"] in arrows(page)
        into = start if norm == "post" else "decoder.0.gate.norm"
        assert ["flow", into, "decoder.0.gate"] in arrows(page)
        assert page.locator(".picture").evaluate(LINES_THROUGH) == []
        select(page, "encoder.0.gate")
