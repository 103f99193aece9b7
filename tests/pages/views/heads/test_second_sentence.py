import html

import pytest

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")


@pytest.fixture
def open_view(open_page):
    return lambda **query_params: open_page("heads", trial="patch", **query_params)


def test_where_no_example_is_as_long_one_word_is_changed_and_makes_room_later(open_view):
    at = open_view(model="copy")
    first, second = (at.text_input(key=key).value.split() for key in ("sentence", "patch_with"))
    assert len(first) == len(second) == 6
    assert sum(one != other for one, other in zip(first, second, strict=True)) == 1
    assert at.get("bidi_component")
    at.text_input(key="sentence").set_value("b a").run()
    assert len(at.text_input(key="patch_with").value.split()) == 2
    # What was typed stays.
    at.text_input(key="patch_with").set_value("c d e").run()
    at.text_input(key="sentence").set_value("b d").run()
    assert at.text_input(key="patch_with").value == "c d e"


def test_where_no_word_is_known_a_sentence_is_asked_for(open_view):
    at = open_view(sentence="Xyzzy")
    assert at.text_input(key="patch_with").value == ""
    [info] = at.info
    assert "Type a second sentence of" in info.value


def test_another_sentence_brings_its_own_counterpart(open_view):
    at = open_view()
    at.text_input(key="sentence").set_value(WIDE).run()
    assert at.text_input(key="patch_with").value == TIRED


def test_a_sentence_of_another_length_is_refused_with_both_lengths(open_view):
    at = open_view(patch_with=WIDE.replace("too", "far too"))
    [info] = at.info
    assert "This sentence has 16 tokens, the first 14, special ones counted." in html.unescape(
        info.value
    )
    assert not at.get("bidi_component")


@pytest.mark.parametrize("kind", ["gpt2", "marian"])
def test_an_opened_model_is_offered_one_that_differs_in_a_word(
    open_page, opened_path, elsewhere, kind
):
    elsewhere("OWN", opened_path(kind).parent)
    for page, query, key in (
        ("heads", {"trial": "patch"}, "patch_with"),
        ("attention", {"view": "maps", "other": "sentence"}, "other_sentence"),
    ):
        at = open_page(page, model=f"runs/{kind}", **query)
        first, second = (at.text_input(key=each).value for each in ("sentence", key))
        words = first.casefold().split(), second.casefold().split()
        assert len(words[0]) == len(words[1])
        assert sum(a != b for a, b in zip(*words, strict=True)) == 1
