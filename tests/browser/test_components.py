"""What every component must do in a real browser: plain texts, narrow windows, files."""

import re
from xml.etree import ElementTree

import pytest

from tests.browser.component import ROOTS, SVG, drawing_of, press, saved, texts_of
from tests.browser.waiting import drawn

pytestmark = [pytest.mark.browser, pytest.mark.slow]
HOSTILE = {
    "maps": ("hostile", "<script>window.hurt=1</script>"),
    "matrices": ("odd", "<b>"),
    "lines": ("odd", "<b>{token}</b>"),
    "decoding": ("hostile", "<script>window.hurt=1</script>"),
}
"""Component → a case whose tokens would run, were they no plain text, and one of them."""
WIDE = {
    "maps": "many",
    "matrices": "sentence",
    "lines": "sentence",
    "strips": "many",
    "decoding": "hostile",
}
"""Component → a case that takes much room."""
PICTURES = ("maps", "matrices", "lines", "strips", "decoding")


def tools_of(name):
    return ".map .tools" if name == "maps" else f"{ROOTS[name]} .tools"


@pytest.mark.parametrize("name", HOSTILE)
def test_tokens_are_plain_text_on_the_screen_and_in_a_drawing(show, name):
    case, token = HOSTILE[name]
    with show(name, case) as page:
        root = page.locator(ROOTS[name])
        if name == "decoding":
            page.locator(".scrubber").focus()
            press(page, "End")
        assert token in root.evaluate("root => root.textContent")
        assert root.locator("script, img").count() == 0
        assert root.locator("b:not(.tooltip b, .figure b)").count() == 0
        texts = texts_of(drawing_of(page, f"{tools_of(name)} .svg:visible"))
        assert page.evaluate("window.hurt") is None
    assert token in "".join(texts) or "…" in "".join(texts)


@pytest.mark.parametrize("name", WIDE)
def test_a_phone_needs_no_sideways_scrolling(show, name):
    with show(name, WIDE[name], width=390) as page:
        drawn(page)
        sticking_out = page.locator(ROOTS[name]).evaluate(
            """root => {
                const main = document.querySelector('.stMain');
                return [root.scrollWidth - root.clientWidth, main.scrollWidth - main.clientWidth,
                    document.documentElement.scrollWidth - innerWidth];
            }"""
        )
        assert max(sticking_out) <= 5


@pytest.mark.parametrize("name", PICTURES)
def test_files_stand_by_themselves_on_white_paper_whatever_the_theme(show, name):
    case = "target" if name == "strips" else "known"
    with show(name, case, scheme="dark") as page:
        svg_name, svg = saved(page, f"{tools_of(name)} .svg:visible")
        png_name, png = saved(page, f"{tools_of(name)} .png:visible")
    drawing = ElementTree.fromstring(svg)
    assert drawing.tag == f"{SVG}svg"
    assert drawing.find(f"{SVG}rect").get("fill") == "#ffffff"
    assert not re.search(rb"var\(|color-mix|url\(", svg)
    assert texts_of(drawing)
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    assert png.startswith(b"\x89PNG")
    # Twice as fine as the drawing.
    for pixels, side in ((width, "width"), (height, "height")):
        assert pixels == round(2 * float(drawing.get(side)))
    assert svg_name.removesuffix(".svg") == png_name.removesuffix(".png") != ""
