import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs.run import load_run
from core.tasks import TASKS
from core.tokenizer.byte_level import ByteLevelTokenizer
from core.tokenizer.words import written_words
from core.vocabulary import Span
from tests.core.conftest import GALLERY

SPECIALS = {0, 1, 2}
# Letters that are whole in NFC, of two alphabets that the tokenizer knows and two it never saw.
WORDS = st.text("abcdeghilorstuABTéèçêœабвгдαβγδ", min_size=1, max_size=8)
SPACES = st.text(" \t\n\u00a0\u2003", min_size=1, max_size=3)


@given(text=st.text(max_size=40))
def test_decoding_an_encoded_text_gives_the_normalised_text(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text).ids) == tokenizer.normalise(text)


@pytest.mark.parametrize("text", ["", " ", "\n\t \u00a0"])
def test_empty_text_has_no_ids(tokenizer, text):
    encoding = tokenizer.encode(text)
    assert (encoding.ids, encoding.spans) == ((), ())
    assert tokenizer.describe(()) == ()
    assert tokenizer.words(text) == tokenizer.word_texts(()) == []


@pytest.mark.parametrize("text", ["</s>", "<s> <pad>", "BOS", "EOS a PAD", "[PAD] <|endoftext|>"])
def test_typed_names_of_special_tokens_stay_text(tokenizer, text):
    ids = tokenizer.encode(text).ids
    assert not SPECIALS & set(ids)
    assert not any(token.special for token in tokenizer.describe(ids))
    assert tokenizer.decode(ids) == text


def test_special_tokens_are_words_of_their_own(tokenizer):
    ids = (1, *tokenizer.encode("the").ids, 2, 0, 0)
    tokens = tokenizer.describe(ids)
    assert [token.text for token in tokens] == ["BOS", "the", "EOS", "PAD", "PAD"]
    assert [token.special for token in tokens] == [True, False, True, True, True]
    assert [token.word for token in tokens] == [0, 1, 2, 3, 4]
    assert tokenizer.word_texts(ids) == ["BOS", "the", "EOS", "PAD", "PAD"]
    assert tokenizer.decode(ids) == "the"


def test_no_token_of_the_vocabulary_is_shown_with_inner_signs(tokenizer):
    for token_id in range(tokenizer.vocab_size):
        [token] = tokenizer.describe([token_id])
        assert token.text
        assert not re.search("[ĠĊ\ufffd]", token.text)
        assert token.text.isprintable()


@given(data=st.data())
def test_any_ids_a_model_may_say_can_be_described(tokenizer, data):
    ids = data.draw(st.lists(st.integers(0, tokenizer.vocab_size - 1), max_size=12))
    tokens = tokenizer.describe(ids)
    numbers = [token.word for token in tokens]
    assert len(tokens) == len(ids)
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(len(tokenizer.word_texts(ids))))
    assert [token.special for token in tokens] == [token_id in SPECIALS for token_id in ids]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The animal didn't cross.", ["The", "animal", "did", "n't", "cross", "."]),
        ("Didn’t it?", ["Did", "n't", "it", "?"]),
        ("L'animal n'a pas", ["L'", "animal", "n'", "a", "pas"]),
        ("parce qu’il", ["parce", "qu'", "il"]),
        ("it's, they'll", ["it", "'s", ",", "they", "'ll"]),
        ("l'est s'en", ["l'", "est", "s'", "en"]),
        ("cat,dog 42!", ["cat", ",", "dog", "42", "!"]),
        ("naïve e\u0301te\u0301", ["naïve", "été"]),
        ("שלום 世界 नि", ["שלום", "世", "界", "नि"]),
    ],
)
def test_words_end_where_english_and_french_end_them(tokenizer, text, words):
    assert tokenizer.words(text) == words
    assert tokenizer.word_texts(tokenizer.encode(text).ids) == words


@pytest.fixture(scope="module")
def typeset():
    """A tokenizer of texts with curly apostrophes."""
    return ByteLevelTokenizer.train(
        ["l’animal n’a pas aujourd’hui", "the animal didn’t"] * 9, 400, "’"
    )


@pytest.mark.parametrize("text", ["l'animal n'a pas", "l’animal n’a pas", "didn't it's", "‘a’ 'b'"])
def test_a_tokenizer_of_typeset_texts_writes_the_curly_apostrophe(typeset, tokenizer, text):
    curly = re.sub(r"(?<=\w)'(?=\w)", "’", text)
    assert typeset.decode(typeset.encode(text).ids) == typeset.normalise(text) == curly
    assert typeset.encode(text).ids == typeset.encode(curly).ids
    # It cuts words where the other one does.
    straight = [word.replace("’", "'") for word in typeset.words(text)]
    assert straight == tokenizer.words(text)
    assert (
        ByteLevelTokenizer.from_json(typeset.to_json()).encode(text).ids == typeset.encode(text).ids
    )


def test_of_two_tokens_that_read_alike_a_list_shows_which_begins_a_word(everyday):
    tokenizer = everyday.tokenizer
    within, after_space = (
        tokenizer.encode(text).ids[at] for text, at in (("parce qu'il", 2), ("il", 0))
    )
    assert within != after_space
    alone = [token.text for token in tokenizer.describe_alone([within, after_space])]
    assert alone == ["il", "␣il"]
    # Alone it is what it reads, and so is one that stands there twice.
    assert [token.text for token in tokenizer.describe_alone([after_space])] == ["il"]
    assert [token.text for token in tokenizer.describe_alone([within, within])] == ["il", "il"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\u200b", "U+200B"),
        ("\ufffd", "U+FFFD"),
        ("\u0301", "◌\u0301"),
        ("🙂", "🙂"),
    ],
)
def test_words_that_cannot_be_seen_are_shown_by_their_number(tokenizer, text, shown):
    assert tokenizer.word_texts(tokenizer.encode(text).ids) == [shown]


@given(parts=st.lists(st.tuples(WORDS, SPACES), min_size=1, max_size=5), lead=st.booleans())
def test_tokens_in_a_words_characters_spell_the_word(tokenizer, parts, lead):
    text = "  " * lead + "".join(word + space for word, space in parts)
    encoding = tokenizer.encode(text)
    claimed = []
    for found in re.finditer(r"\S+", text):
        tokens = encoding.tokens_in(Span(found.start(), found.end()))
        # Inside, a word of two alphabets is still one run of letters.
        assert tokenizer.decode([encoding.ids[token] for token in tokens]) == found.group()
        claimed += tokens
    blank = [index for index, span in enumerate(encoding.spans) if span.start == span.end]
    assert sorted(claimed + blank) == list(range(len(encoding.ids)))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{}", '{"model": {"type": "WordLevel", "vocab": {"Ω": 0}}}', "\x00"],
)
def test_damaged_json_is_no_tokenizer(text):
    with pytest.raises(ValueError, match="not a byte-level tokenizer"):
        ByteLevelTokenizer.from_json(text)


def test_training_learns_no_more_tokens_than_asked(tokenizer):
    assert tokenizer.vocab_size == 600
    # 3 special tokens, 256 bytes, and the merges " a", " b" and no other.
    assert ByteLevelTokenizer.train(["a b a b"], 5000).vocab_size == 261


CHINESE = "老师昨天看见白色的猫。"
JOINED = {
    "zero-width non-joiner": "می\u200cخواهم",
    "Sinhala joiner": "ක\u0dca\u200dය",
    "selector": "❤\ufe0f",
    "family": "👩\u200d❤\ufe0f\u200d👨",
    "soft hyphen": "ex\u00adam\u00adple",
    "mark of direction": "שלום\u200f",
    "Japanese selector": "葛\U000e0100",
}
UNSPACED = {
    "Chinese": (CHINESE, list(CHINESE)),
    "Chinese and others": ("A型 2026年", ["A", "型", "2026", "年"]),
    "Japanese": ("コーヒーを飲む。", ["コ", "ー", "ヒ", "ー", "を", "飲", "む", "。"]),
    "Thai": ("น้ำที่ ๒๕", ["น้ำ", "ที่", "๒๕"]),
    "Khmer": ("ខ្មែរ", ["ខ្មែ", "រ"]),
    "Korean has spaces": ("고양이를 봤다.", ["고양이를", "봤다", "."]),
    "a zero-width space ends a word": ("ab\u200bc", ["ab", "U+200B", "c"]),
}


@pytest.fixture(scope="module")
def learned():
    """A tokenizer that saw whole clauses again and again."""
    texts = [CHINESE, "看见黑色的汽车", "เที่ยวน้ำตก", "می\u200cخواهم بروم", "the cat"] * 50
    return ByteLevelTokenizer.train(texts, 500)


@pytest.mark.parametrize("text", JOINED.values(), ids=JOINED)
def test_what_a_joiner_or_a_selector_holds_together_is_one_word(learned, tokenizer, text):
    for each in (learned, tokenizer):
        for words in (each.words(text), each.word_texts(each.encode(text).ids)):
            assert words == [text]
    assert written_words(text) == [text]


@pytest.mark.parametrize(("text", "words"), UNSPACED.values(), ids=UNSPACED)
def test_a_character_of_a_script_without_spaces_is_a_word(learned, text, words):
    assert learned.words(text) == words
    assert learned.word_texts(learned.encode(text).ids) == words


@pytest.mark.parametrize(
    "name",
    ["either", *(pytest.param(each, marks=pytest.mark.slow) for each in ("everyday", "translate"))],
)
def test_shipped_runs_split_their_languages_as_they_learned_them(name):
    """The digest was made with the rule that they were trained with."""
    digests = {
        "translate": "2eeb0fc98cf73d68",
        "everyday": "584fa45f9a8b773d",
        "either": "d01c1ca59da67077",
    }
    samples = TASKS["translate"].held_out_samples(1000, 0)
    tokenizer = load_run(GALLERY / name).tokenizer
    ids = tokenizer.ids_of_all([text for each in samples for text in (each.source, each.target)])
    words = [tokenizer.describe(row)[-1].word for row in ids]
    assert hashlib.sha256(repr((ids, words)).encode()).hexdigest()[:16] == digests[name]
