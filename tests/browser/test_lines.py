"""The lines between two columns of tokens in a real browser: what is drawn, said and saved."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.apps import lines_cases
from tests.browser.canvas import pixels
from viz import theme

APP = "lines"
SVG = "{http://www.w3.org/2000/svg}"
pytestmark = pytest.mark.browser


@pytest.fixture
def show(kept_pages):
    """Show the component on one case."""
    return lambda case, **options: kept_pages.show(
        APP, ".lines[data-whole]", f"case={case}", **options
    )


def row(page, column, index):
    return page.locator(f".column.{column} .row").nth(index)


def hover(page, column, index):
    row(page, column, index).hover()
    expect(page.locator(".lines")).to_have_attribute("data-active", f"{column} {index}")


def expected(lines, threshold=0.05, hidden=()):
    """Return which lines there must be: (head, query, key) → weight."""
    return {
        (head, q, k): float(lines.weights_HQK[slot, q, k])
        for slot, head in enumerate(lines.heads)
        for q, k in np.ndindex(lines.visible_QK.shape)
        if lines.visible_QK[q, k] and lines.weights_HQK[slot, q, k] >= threshold
        if head not in hidden
    }


def drag(page, threshold):
    """Move the slider as a visitor does."""
    page.locator(".threshold input").evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }",
        threshold,
    )


def left_out(lines, threshold, hidden=(), kept=slice(None)):
    """Return what is said of the lines that are not drawn, or of those of a query that is kept."""
    heads = len(lines.heads) - len(hidden)
    total = int(lines.visible_QK[kept].sum()) * heads
    queries = range(len(lines.visible_QK))
    of_kept = queries[kept] if isinstance(kept, slice) else [kept]
    n = total - sum(query in of_kept for _, query, _ in expected(lines, threshold, hidden))
    return f"lines under {threshold:.2f} are left out: {n:,} of {total:,}"


def test_the_lines_of_the_token_that_is_spoken_of_stand_out_among_all(show):
    inked = """canvas => {
        const all = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return all.reduce((most, value, i) => (i % 4 === 3 ? Math.max(most, value) : most), 0);
    }"""
    with show("known") as page:
        usual = page.locator("canvas.all").evaluate(inked)
    with show("spoken") as page:
        assert row(page, "query", 3).get_attribute("class") == "row spoken"
        assert page.locator("canvas.all").evaluate(inked) > usual


def test_a_kept_token_has_its_own_lines_alone(show):
    lines_cases.known()
    with show("known") as page:
        for column, index in (("query", 3), ("query", 0), ("key", 4), ("key", 6)):
            row(page, column, index).click()
            expect(page.get_by_text(f"pinned ('{column}', {index})")).to_be_visible()
            page.mouse.move(5, 5)
            expect(page.locator(".tooltip")).to_be_hidden()
            expect(page.locator("canvas.all")).to_have_css("visibility", "hidden")
            expect(row(page, column, index)).to_have_attribute("aria-selected", "true")
        row(page, "key", 6).click()
        page.mouse.move(5, 5)
        expect(page.locator("canvas.all")).to_have_css("visibility", "visible")


def test_the_ink_at_the_end_of_a_line_is_as_wide_as_its_weight(show):
    lines = lines_cases.known()
    with show("known") as page:
        row(page, "query", 3).click()
        ink = pixels(page.locator("canvas.some"))
        box = page.locator("canvas.some").bounding_box()
        ends = [row(page, "key", key).bounding_box() for key in range(7)]
    for key, end in enumerate(ends):
        x, top = round(end["x"] - box["x"]) - 1, round(end["y"] - box["y"])
        column = ink[top : top + round(end["height"]), x]
        weight = lines.weights_HQK[0, 3, key]
        seen = column[..., 3].sum() / 255
        # Chromium divides a pixel's height into four.
        assert seen == pytest.approx(9 * weight if weight >= 0.05 else 0, abs=0.5)
        assert (seen > 0) == (weight >= 0.05)
        if weight > 0.5:
            assert column[len(column) // 2].tolist() == [*theme.HEADS[2], 255]


def test_the_tooltip_has_the_largest_weights_in_three_digits(show):
    column = "key"
    lines = lines_cases.known()
    names = {"query": lines.queries, "key": lines.keys}
    other = "key" if column == "query" else "query"
    weights_QK = lines.weights_HQK[0] if column == "query" else lines.weights_HQK[0].T
    with show("known") as page:
        for index in range(len(names[column]) - (column == "key")):
            hover(page, column, index)
            largest = np.argsort(-weights_QK[index])[: min(5, len(names[other]))]
            said = page.locator(".tooltip .partner").all_text_contents()
            assert said == [
                f"{names[other][at].text} {weights_QK[index, at]:#.3g}"
                for at in largest
                if weights_QK[index, at] > 0
            ]
        hover(page, "key", 6)
        expect(page.locator(".tooltip")).to_contain_text("nothing: the mask hides it")


def test_dragging_the_threshold_redraws_at_once_and_tells_python_where_it_rests(show):
    lines = lines_cases.several()
    with show("several") as page:
        for threshold in (0.1, 0.3, 0.42):
            drag(page, threshold)
            expect(page.locator(".threshold output")).to_have_text(left_out(lines, threshold))
        expect(page.get_by_text("threshold 0.42", exact=True)).to_be_visible()
        expect(page.locator(".threshold output")).to_have_text(left_out(lines, 0.42))


def test_other_words_come_with_all_their_lines_however_new_the_last_click_is(show):
    with show("several") as page:
        page.get_by_role("checkbox", name="head 1").click()
        row(page, "query", 3).click()
        page.get_by_role("button", name="other words").click()
        expect(page.locator(".lines figcaption")).to_contain_text("Encoder layer 1")
        expect(page.locator(".lines")).to_have_attribute("data-active", "")


def test_tokens_can_be_read_kept_and_let_go_with_the_keyboard(show):
    with show("known") as page:
        page.get_by_text("SVG").focus()
        for _ in range(4):
            page.keyboard.press("Shift+Tab")
        for _ in range(3):
            page.keyboard.press("ArrowDown")
        live = page.locator(".live")
        expect(live).to_have_text(re.compile(r"dort: sleeps 0\.973, .* …"))
        page.keyboard.press("Enter")
        expect(page.get_by_text("pinned ('query', 3)")).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(page.locator(".lines")).to_have_attribute("data-active", "key 3")
        expect(live).to_have_text(re.compile("cat: .*"))
        page.keyboard.press("Escape")
        expect(page.get_by_text("pinned None")).to_be_visible()
        expect(page.locator(".tooltip")).to_be_hidden()
        page.keyboard.press("Tab")
        expect(page.locator(".lines")).to_have_attribute("data-active", "")


def test_512_tokens_are_drawn_as_far_as_they_are_in_view(show):
    with show("long") as page:
        box = page.locator(".box").bounding_box()
        canvas = page.locator("canvas.all").evaluate("canvas => [canvas.width, canvas.height]")
        before = page.locator(".lines").get_attribute("data-drawn")
        counted = page.locator(".threshold output")
        counted.evaluate("output => { window.counted = output.firstChild; }")
        page.locator(".box").evaluate("box => { box.scrollTop = 16 * 200; }")
        expect(page.locator(".lines")).not_to_have_attribute("data-drawn", before)
        # Scrolling shows other lines of the same ones: they are not counted again.
        assert counted.evaluate("output => output.firstChild === window.counted")
        page.locator(".lines[data-whole]").wait_for()
        assert pixels(page.locator("canvas.all"))[..., 3].any()
        hover(page, "query", 205)
        said = page.locator(".tooltip .partner b").first.text_content()
    assert canvas[1] <= box["height"]
    assert re.fullmatch(r"≈ [01]\.\d\d", said)


def test_a_saved_picture_has_the_lines_that_are_shown(show, tmp_path):
    lines = lines_cases.several()
    with show("several") as page:
        page.get_by_role("checkbox", name="head 1").click()
        drag(page, 0.2)
        whole = saved(page, "svg", tmp_path / "whole")
        row(page, "query", 3).click()
        kept = saved(page, "svg", tmp_path)
        picture = saved(page, "png", tmp_path)
    shown = expected(lines, 0.2, {1})
    assert widths(whole) == pytest.approx(sorted(9 * weight for weight in shown.values()), abs=1e-3)
    own = [9 * weight for (_, query, _), weight in shown.items() if query == 3]
    assert widths(kept) == pytest.approx(sorted(own), abs=1e-3)
    words = [text.text for text in ElementTree.parse(kept).iter(f"{SVG}text")]
    for said in ("head 0", "head 2", "dort", "là", "sleeps", "0.973", left_out(lines, 0.2, {1}, 3)):
        assert said in words
    assert "head 1" not in words
    size = ElementTree.parse(kept).getroot().attrib
    header = picture.read_bytes()[16:24]
    assert int.from_bytes(header[:4], "big") == 2 * int(size["width"])
    assert int.from_bytes(header[4:], "big") == 2 * int(size["height"])


def saved(page, ending, folder):
    with page.expect_download() as found:
        page.locator(f".tools .{ending}").click()
    name = found.value.suggested_filename
    assert name == f"decoder-layer-1-head-2-where-it-looks-in-the.{ending}"
    found.value.save_as(folder / name)
    return Path(folder / name)


def widths(path):
    paths = ElementTree.parse(path).iter(f"{SVG}path")
    return sorted(float(path.get("stroke-width")) for path in paths if path.get("stroke"))


def test_tokens_are_plain_text_shortened_in_the_middle(show):
    with show("odd") as page:
        first = row(page, "query", 0).locator(".token").first
        assert re.fullmatch(r"Donau\S*…\S*zeichen", first.text_content())
        assert first.get_attribute("title") == lines_cases.LONG
        assert row(page, "query", 1).locator(".token").first.get_attribute("dir") == "auto"
        hover(page, "key", 7)
        expect(page.locator(".tooltip .line").first).to_have_text("<b>{token}</b> is looked at by")
        assert page.locator(".lines b:not(.tooltip b)").count() == 0


def test_a_link_of_the_app_opens_the_token_that_was_kept(visit):
    page = visit("?view=lines&kind=cross&shown=all+heads&threshold=0.2&hidden=1")
    row(page, "query", 8).click()
    page.wait_for_function("() => location.search.includes('token=8')")
    page.mouse.move(5, 5)
    switches = page.locator(".lines [role=checkbox]")
    before = switches.evaluate_all("all => all.map((each) => each.ariaChecked)")
    query = urlsplit(page.url).query
    again = visit(f"?{query}")
    again.locator(".lines[data-active='query 8']").wait_for()
    assert {"token": ["8"], "side": ["target"]}.items() <= parse_qs(query).items()
    switches = again.locator(".lines [role=checkbox]")
    assert switches.evaluate_all("all => all.map((each) => each.ariaChecked)") == before
    assert before == ["true", "false", "true", "true"]
    expect(again.locator(".threshold input")).to_have_value("0.2")


def test_on_a_phone_both_columns_are_seen_whole_with_their_names_and_weights(visit):
    page = visit("?view=lines", viewport={"width": 390, "height": 844})
    page.locator(".lines[data-drawn]").wait_for()
    row(page, "query", 8).hover()
    ends = page.locator(".lines").evaluate(
        "root => [...root.querySelectorAll('.axis, .row, canvas')]"
        ".map(node => node.getBoundingClientRect().right)"
    )
    assert max(ends) <= 390
    words = row(page, "query", 1).inner_text()
    assert words == "animal"
