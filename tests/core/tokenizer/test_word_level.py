import pytest

from core.tokenizer.word_level import Lent, Vocabulary, WordTokenizer, is_word_level
from core.vocabulary import FIRST_ID, SPECIAL_TEXTS, Span

VOCABULARY = Vocabulary(("the", "dog", "le", "chien"), ("Karen", "Otto"), 53)
"""A number of free names that no other test has: who was lent one is known in the whole process."""


@pytest.fixture
def tokenizer():
    return WordTokenizer(VOCABULARY)


def test_words_come_first_then_names_then_free_ones(tokenizer):
    assert tokenizer.vocab_size == FIRST_ID + 4 + 2 + 53
    assert tokenizer.n_names == 55
    assert tokenizer.encode("the dog Otto").ids == (FIRST_ID, FIRST_ID + 1, FIRST_ID + 5)
    assert tokenizer.specials == SPECIAL_TEXTS


def test_an_unknown_word_is_lent_a_free_name_and_read_back_as_itself(tokenizer):
    ids = tokenizer.encode("Kowalski the dog zorblax Kowalski").ids
    assert ids[0] == ids[4] != ids[3]
    assert all(token >= FIRST_ID + 6 for token in (ids[0], ids[3]))
    assert tokenizer.decode(ids) == "Kowalski the dog zorblax Kowalski"
    assert [token.text for token in tokenizer.describe(ids)] == tokenizer.decode(ids).split()
    assert [token.word for token in tokenizer.describe(ids)] == [0, 1, 2, 3, 4]


def test_spans_are_places_of_the_text_as_it_was_typed(tokenizer):
    text = " The dog, O'Neill."
    assert tokenizer.encode(text).spans == (Span(1, 4), Span(5, 8), Span(10, 17))
    assert tokenizer.encode(text).spans[2].of(text) == "O'Neill"


@pytest.mark.parametrize("text", ["", " ", "...", "\u2028"])
def test_a_text_without_words_has_no_tokens(tokenizer, text):
    assert tokenizer.encode(text).ids == ()
    assert tokenizer.words(text) == []


def test_what_is_read_again_has_the_same_ids(tokenizer):
    [(name, content)] = tokenizer.files().items()
    assert name == "tokenizer.json"
    assert is_word_level(content.decode())
    again = WordTokenizer.from_json(content.decode())
    assert again.vocabulary == VOCABULARY
    ids = tokenizer.encode("the Karen blorp").ids
    assert again.encode("the Karen blorp").ids == ids
    # Another tokenizer of the same process reads what was lent by this one.
    assert again.decode(ids) == "the Karen blorp"


@pytest.mark.parametrize(
    "text",
    [
        "[",
        '{"words": ["a"], "names": ["a"], "n_free": 3}',
        '{"words": 3, "names": [], "n_free": 1}',
    ],
)
def test_a_damaged_file_is_refused(text):
    with pytest.raises(ValueError, match="."):
        WordTokenizer.from_json(text)


def test_when_none_is_free_the_name_longest_unused_is_lent_anew():
    lent = Lent(2)
    assert [lent.number(word) for word in ("a", "b", "a", "c")] == [0, 1, 0, 1]
    assert (lent.word(0), lent.word(1)) == ("a", "c")
    assert lent.number("b") == 0
