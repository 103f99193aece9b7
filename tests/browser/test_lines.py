"""The lines between tokens in a real browser: what is drawn, read, sent and saved."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.apps import lines_cases
from tests.browser.component import SVG, choose, drawing_of, expect_heard, pixels, press, texts_of
from viz import theme

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def row(page, column, index):
    return page.locator(f".column.{column} .row").nth(index)


def drag(page, threshold):
    """Move the slider as a visitor does."""
    page.locator(".threshold input").evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }",
        threshold,
    )


def widths(drawing):
    paths = drawing.iter(f"{SVG}path")
    return sorted(float(path.get("stroke-width")) for path in paths if path.get("stroke"))


def test_the_ink_at_the_end_of_a_line_is_as_wide_as_its_weight(show):
    lines = lines_cases.known()
    with show("lines", "known") as page:
        row(page, "query", 3).click()
        ink = pixels(page.locator("canvas.some"))
        box = page.locator("canvas.some").bounding_box()
        ends = [row(page, "key", key).bounding_box() for key in range(7)]
        expect(page.locator("canvas.all")).to_have_css("visibility", "hidden")
    for key, end in enumerate(ends):
        x, top = round(end["x"] - box["x"]) - 1, round(end["y"] - box["y"])
        column = ink[top : top + round(end["height"]), x]
        weight = lines.weights_HQK[0, 3, key]
        # Chromium divides a pixel's height into four.
        assert column[..., 3].sum() / 255 == pytest.approx(
            9 * weight if weight >= 0.05 else 0, abs=0.5
        )
        if weight > 0.5:
            assert column[len(column) // 2].tolist() == [*theme.HEADS[2], 255]


def test_dragging_the_threshold_redraws_at_once_and_tells_python_where_it_rests(show):
    lines = lines_cases.several()
    total = 3 * int(lines.visible_QK.sum())
    with show("lines", "several", "&choose=1") as page:
        for threshold in (0.1, 0.42):
            drag(page, threshold)
            n = total - int((lines.weights_HQK >= threshold).sum())
            expect(page.locator(".threshold output")).to_have_text(
                f"lines under {threshold:.2f} are left out: {n} of {total}"
            )
        expect_heard(page, "threshold", 0.42)
        page.get_by_role("checkbox", name="head 1").click()
        row(page, "query", 3).click()
        # However new the last click is, other words come with all their lines.
        choose(page, "sentence")
        expect(page.locator(".lines figcaption")).to_contain_text("Encoder layer 1")


def test_tokens_can_be_read_kept_and_let_go_with_the_keyboard(show):
    with show("lines", "known") as page:
        page.get_by_text("SVG").focus()
        press(page, *["Shift+Tab"] * 4, *["ArrowDown"] * 3)
        live = page.locator(".live")
        expect(live).to_have_text(re.compile(r"dort: sleeps 0\.973, .* …"))
        press(page, "Enter")
        expect_heard(page, "pin", {"side": "query", "index": 3})
        expect(row(page, "query", 3)).to_have_attribute("aria-selected", "true")
        press(page, "ArrowRight")
        expect(page.locator(".lines")).to_have_attribute("data-active", "key 3")
        expect(live).to_have_text(re.compile("cat: .*"))
        press(page, "Escape")
        expect_heard(page, "pin", {"side": None, "index": None})
        expect(page.locator(".tooltip")).to_be_hidden()
        press(page, "Tab")
        expect(page.locator(".lines")).to_have_attribute("data-active", "")


def test_a_drawing_has_the_lines_that_are_shown(show):
    lines = lines_cases.several()
    shown = lines.weights_HQK[[0, 2]]
    with show("lines", "several") as page:
        page.get_by_role("checkbox", name="head 1").click()
        drag(page, 0.2)
        whole = drawing_of(page)
        row(page, "query", 3).click()
        kept = drawing_of(page)
    for drawing, weights in ((whole, shown), (kept, shown[:, 3])):
        expected = sorted(9 * weights[weights >= 0.2].astype(float))
        assert widths(drawing) == pytest.approx(expected, abs=1e-3)
    assert {"head 0", "head 2", "dort", "là", "sleeps", "0.973"} <= set(texts_of(kept))
    assert "head 1" not in texts_of(kept)
