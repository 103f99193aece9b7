import pytest

from core.runs.run import load_run
from core.studies.lessons.pieces import cut
from tests.core.conftest import GALLERY


@pytest.fixture(scope="module")
def everyday():
    return load_run(GALLERY / "everyday")


def test_a_word_is_joined_pair_by_pair_in_the_order_in_which_merges_were_learned(everyday):
    found = cut(everyday, "singing")
    assert [(each.rank, each.joined, each.pieces) for each in found.merges] == [
        (0, "", "␣·s·i·n·g·i·n·g"),
        (11, "␣ + s", "␣s·i·n·g·i·n·g"),
        (31, "i + n", "␣s·in·g·in·g"),
        (100, "in + g", "␣s·ing·ing"),
        (1451, "␣s + ing", "␣sing·ing"),
    ]


@pytest.mark.parametrize("text", ["Il n'était pas là.", "unhappiness 2026 xyzzy", "naïveté 👩‍👩‍👧"])
def test_the_merges_of_an_own_tokenizer_lead_to_its_tokens(everyday, text):
    assert cut(everyday, text).merges, "else they do not"


def test_words_are_cut_as_the_text_of_the_lesson_says(everyday):
    rare = cut(everyday, "unhappiness").tokens
    assert [token.text for token in rare] == ["un", "h", "app", "iness"]
    greeting = cut(everyday, "早上好")
    assert "".join(each.text[1:3] for each in greeting.tokens) == "早上好".encode().hex().upper()
    assert not greeting.merges


def test_merges_of_an_opened_tokenizer_are_shown_and_of_word_pieces_none(opened_path):
    assert cut(load_run(opened_path("gpt2")), "The capital").merges
    assert not cut(load_run(opened_path("bert")), "The capital").merges
