"""How scripts treat texts: cut between the characters that a reader sees, in their direction."""

from pathlib import Path

import pytest

VIZ = Path(__file__).parents[2] / "viz"
SCRIPTS = "\n".join(
    (VIZ / "component" / f"{name}.js").read_text() for name in ("text", "tokens", "plot", "svg")
)
FAMILY, HEART = "👩\u200d❤\ufe0f\u200d👨", "❤\ufe0f"


@pytest.fixture(scope="module")
def computed(browser):
    """Return a function that computes an expression of JavaScript with the scripts of `viz`."""
    page = browser.new_page()
    yield lambda expression, *values: page.evaluate(
        f"(values) => {{ {SCRIPTS}\nreturn {expression}; }}", values
    )
    page.close()


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (FAMILY * 5, f"{FAMILY * 2}…{FAMILY}"),
        (HEART * 3 + "क\u094d\u200dष" * 3, f"{HEART * 2}…क\u094d\u200dष"),
        ("abcdef", "ab…f"),
        ("abcd", "abcd"),
    ],
)
def test_a_label_is_cut_between_characters(computed, text, short):
    count = "([text]) => Array.from(characters.segment(text)).length"
    assert computed(f"shortened(values[0], 4, {count})", text) == short


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Maps of “می\u200cخواهم”", "maps-of-می-خواهم"),
        ("हिन्दी में", "हिन्दी-में"),
        (f"Maps of {FAMILY}!", "maps-of"),
        ("?", "file"),
        ("e\u0301" * 51, "e\u0301" * 50),
        (
            "Encoder layer 1, head 3: where each word of a sentence looks",
            "encoder-layer-1-head-3-where-each-word-of-a",
        ),
    ],
)
def test_the_name_of_a_file_keeps_words_whole(computed, title, name):
    assert computed("fileNameOf(values[0], 'file')", title) == name


@pytest.mark.parametrize(
    ("tokens", "direction"),
    [(["می\u200cخ", "واه", "د"], "rtl"), (["ש", "לום"], "rtl"), (["play", "ed"], "")],
)
def test_the_pieces_of_a_word_stand_in_its_direction(computed, tokens, direction):
    token = "tokenElement([text, i ? FLAGS.continues : 0], 'source', i, 'chip', {})"
    [found] = computed(
        f"inWords(values.map((text, i) => {token})).map(({{ dir }}) => dir)", *tokens
    )
    assert found == direction
