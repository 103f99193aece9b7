"""Words in every script; the expected ones are written by hand, after UAX #29."""

import hashlib
from pathlib import Path

import pytest

from core.runs.run import load_run
from core.tasks import TASKS, Sample
from core.tasks.length_filter import token_counts
from core.tokenizer.byte_level import ByteLevelTokenizer
from core.tokenizer.words import shortened, written_words
from core.training.tokenised import TokenisedPairs

CHINESE = "老师昨天看见白色的猫。"
JOINED = {
    "zero-width non-joiner": "می\u200cخواهم",
    "zero-width joiner": "क\u094d\u200dष",
    "Sinhala joiner": "ක\u0dca\u200dය",
    "selector": "❤\ufe0f",
    "keycap": "1\ufe0f\u20e3",
    "number sign keycap": "#\ufe0f\u20e3",
    "family": "👩\u200d❤\ufe0f\u200d👨",
    "skin": "👍🏽",
    "flag of tags": "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "soft hyphen": "ex\u00adam\u00adple",
    "mark of direction": "שלום\u200f",
    "word joiner": "a\u2060b",
    "Japanese selector": "葛\U000e0100",
}
UNSPACED = {
    "Chinese": (CHINESE, list(CHINESE)),
    "Chinese and others": ("A型 2026年", ["A", "型", "2026", "年"]),
    "Japanese": ("コーヒーを飲む。", ["コ", "ー", "ヒ", "ー", "を", "飲", "む", "。"]),
    "half-width Japanese": ("ﾊﾟｰﾃｨ", ["ﾊﾟ", "ｰ", "ﾃ", "ｨ"]),
    "Thai": ("น้ำที่ ๒๕", ["น้ำ", "ที่", "๒๕"]),
    "Lao": ("ນ້ຳ", ["ນ້ຳ"]),
    "Khmer": ("ខ្មែរ", ["ខ្មែ", "រ"]),
    "Burmese": ("မြန်စ္စ", ["မြ", "န်", "စ္စ"]),
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


@pytest.mark.parametrize("text", ["I see 猫 now", "猫 and 猫", "เที่ยว น้ำ", "猫", "the cat", ""])
def test_pieces_have_the_tokens_of_their_text(learned, text):
    whole = learned.encode(text).ids
    assert token_counts(learned, [text]).tolist() == [len(whole)]
    assert tuple(TokenisedPairs.of([Sample(text, text)], learned).ids) == whole * 2


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("👩\u200d❤\ufe0f\u200d👨" * 3, 2, "👩\u200d❤\ufe0f\u200d👨…"),
        ("क\u094d\u200dषक", 1, "…"),
        ("न\u0940ला", 2, "न\u0940ला"),
        ("abc", 2, "a…"),
    ],
)
def test_shortening_never_cuts_a_character_that_a_reader_sees(text, most, cut):
    assert shortened(text, most) == cut


@pytest.mark.parametrize("name", ["translate", "everyday", "either"])
def test_shipped_runs_split_their_languages_as_they_learned_them(name):
    """The digest was made with the rule that they were trained with."""
    digests = {
        "translate": "2eeb0fc98cf73d68",
        "everyday": "584fa45f9a8b773d",
        "either": "d01c1ca59da67077",
    }
    samples = TASKS["translate"].held_out_samples(1000, 0)
    tokenizer = load_run(Path("gallery") / name).tokenizer
    ids = tokenizer.ids_of_all([text for each in samples for text in (each.source, each.target)])
    words = [tokenizer.describe(row)[-1].word for row in ids]
    assert hashlib.sha256(repr((ids, words)).encode()).hexdigest()[:16] == digests[name]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("\u200d", "U+200D"), ("\ufe0f", "U+FE0F"), ("a\u200d", "a\u200d"), ("a\u202e", "aU+202E")],
)
def test_a_joiner_stands_for_itself_where_there_is_something_to_join(learned, text, shown):
    assert learned.words(text) == learned.word_texts(learned.encode(text).ids) == [shown]
