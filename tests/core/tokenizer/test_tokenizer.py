import pytest

from core.tokenizer.tokenizer import Encoding, Tokenizer
from core.vocabulary import Span


class Letters(Tokenizer):
    """One token a letter, an id for each; 0 begins and 1 ends a text, 2 stands for any letter."""

    def __init__(self):
        letters = "abcdefghijklmnopqrstuvwxyz .'"
        self.of = {letter: index for index, letter in enumerate(letters, start=3)}
        pieces = [b"", b"", b"", *(letter.encode() for letter in letters)]
        super().__init__(
            pieces, {0: "<s>", 1: "</s>", 2: "[MASK]"}, begins=(0,), ends=(1,), mask_id=2
        )

    def files(self):
        return {}

    def normalise(self, text):
        return text.lower()

    def encode_all(self, texts):
        return [
            Encoding(tuple(ids), text, self)
            for text, ids in zip(texts, self.ids_of_all(texts), strict=True)
        ]

    offsets = ((0, 1), (1, 3))

    def ids_of_all(self, texts):
        return [[self.of[letter] for letter in text.lower()] for text in texts]


@pytest.fixture
def letters():
    return Letters()


def test_special_tokens_have_their_own_names_and_are_words_of_their_own(letters):
    ids = (0, *letters.encode("ab c").ids, 1)
    tokens = letters.describe(ids)
    assert [token.text for token in tokens] == ["<s>", "a", "b", "␣", "c", "</s>"]
    assert [token.special for token in tokens] == [True, False, False, False, False, True]
    assert tokens[1].word == tokens[2].word != tokens[4].word
    assert letters.word_texts(ids) == ["<s>", "ab", "c", "</s>"]


def test_decoding_leaves_special_tokens_out(letters):
    assert letters.decode((0, *letters.encode("it's").ids, 2, 1)) == "it's"


def test_words_are_those_of_a_text_as_the_model_sees_it(letters):
    assert letters.words("The end.") == ["the", "end", "."]
    assert letters.words("") == []


def test_the_space_before_a_token_is_not_in_its_span():
    encoding = Encoding((5, 6), "a b", Letters)
    assert encoding.spans == (Span(0, 1), Span(2, 3))
    assert encoding.tokens_in(Span(2, 3)) == (1,)


def test_the_vocabulary_counts_special_tokens(letters):
    assert letters.vocab_size == 32
