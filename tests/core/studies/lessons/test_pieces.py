import pytest

from core.runs.run import load_run
from core.studies.lessons.pieces import cut, written
from tests.core.conftest import GALLERY


@pytest.fixture(scope="module")
def everyday():
    return load_run(GALLERY / "everyday")


def test_a_word_is_joined_pair_by_pair_in_the_order_in_which_merges_were_learned(everyday):
    found = cut(everyday, "singing")
    assert [(each.rank, each.joined, written(each.words)) for each in found.merges] == [
        (11, ("␣", "s"), "␣s·i·n·g·i·n·g"),
        (31, ("i", "n"), "␣s·in·g·in·g"),
        (100, ("in", "g"), "␣s·ing·ing"),
        (1451, ("␣s", "ing"), "␣sing·ing"),
    ]
    assert written(found.begin) == "␣·s·i·n·g·i·n·g"


def test_a_rare_word_is_cut_as_the_text_of_the_lesson_says(everyday):
    assert [token.text for token in cut(everyday, "unhappiness").tokens] == [
        "un",
        "h",
        "app",
        "iness",
    ]


@pytest.mark.parametrize("text", ["Il n'était pas là.", "unhappiness 2026 xyzzy", "naïveté 👩‍👩‍👧"])
def test_the_merges_of_an_own_tokenizer_lead_to_its_tokens(everyday, text):
    found = cut(everyday, text)
    assert found.begin, "else they do not"


def test_a_chinese_greeting_is_one_token_for_each_byte(everyday):
    found = cut(everyday, "早上好")
    assert "".join(token.text[1:3] for token in found.tokens) == "早上好".encode().hex().upper()
    assert found.begin and not found.merges


def test_an_opened_tokenizer_of_merges_shows_them_and_another_none(opened_path):
    found = cut(load_run(opened_path("gpt2")), "The capital")
    assert found.merges and found.begin
    assert not cut(load_run(opened_path("bert")), "The capital").begin
