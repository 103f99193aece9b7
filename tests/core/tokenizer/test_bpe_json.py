import base64
import json

import pytest
import tokenizers
from tokenizers import Regex, models, pre_tokenizers, processors

from core.tokenizer.bpe_json import PATTERNS, TokenizerError, tokenizer_of_json
from core.tokenizer.byte_level import ByteLevelTokenizer
from core.tokenizer.fast_tokenizer import FastTokenizer

WORDS = {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2, "a": 3, "b": 4, "aa": 5}


def written(**parts):
    """Return a small tokenizer as JSON, with some of its parts replaced."""
    fast = tokenizers.Tokenizer(models.WordLevel(WORDS, unk_token="[UNK]"))
    fast.pre_tokenizer = pre_tokenizers.Whitespace()
    return json.dumps(json.loads(fast.to_str()) | parts)


def replace(pattern, content):
    kind = "Regex" if isinstance(pattern, Regex) else "String"
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def table(*replacements):
    """SentencePiece's table of characters: the size of a trie, the trie, the replacements."""
    return (8).to_bytes(4, "little") + bytes(8) + b"\0".join(replacements) + b"\0"


def precompiled(*replacements):
    content = base64.b64encode(table(*replacements)).decode()
    return {"type": "Precompiled", "precompiled_charsmap": content}


def regex(pattern):
    return {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }


def template(pieces, known):
    return {"type": "TemplateProcessing", "single": pieces, "pair": [], "special_tokens": known}


BYTES = json.loads(pre_tokenizers.ByteLevel().__getstate__())
TEXT = {"Sequence": {"id": "A", "type_id": 0}}
CLS = {"SpecialToken": {"id": "[CLS]", "type_id": 0}}
CLS_IS = {"[CLS]": {"id": "[CLS]", "ids": [0], "tokens": ["[CLS]"]}}


def sequence(parts, name="normalizers"):
    return {"type": "Sequence", name: parts}


@pytest.mark.parametrize(
    "parts",
    [
        {"normalizer": sequence([replace("e", "e" * 50)] * 6)},
        {"normalizer": replace("a", "aa")},
        {"normalizer": replace("", "a")},
        {"normalizer": {"type": "Prepend", "prepend": "a" * 50}},
        {"normalizer": {"type": "Prepend", "prepend": ""}},
        {"normalizer": precompiled(b"a" * 65)},
        {"normalizer": sequence([precompiled(b"aa")] * 2)},
        {"normalizer": sequence([{"type": "NFC"}] * 33)},
        {"normalizer": sequence([sequence([replace("e", "ee")])])},
        {"normalizer": {"type": "ByteLevel"}},
        {"pre_tokenizer": regex("(a+)+$")},
        {"pre_tokenizer": sequence([regex(r"(\w|\w\w)*!")], "pretokenizers")},
        {"normalizer": {"type": "Replace", "pattern": {"Regex": "(a|aa)+$"}, "content": ""}},
        {"pre_tokenizer": sequence([BYTES] * 2, "pretokenizers")},
        {"decoder": {"type": "Replace", "pattern": {"Regex": "(x{999}){999}"}, "content": ""}},
        {"post_processor": template([CLS, TEXT], {})},
        {"post_processor": template([TEXT, TEXT], {})},
        {"post_processor": template([CLS] * 40 + [TEXT], CLS_IS)},
        {"post_processor": template([CLS, TEXT], {"[CLS]": {**CLS_IS["[CLS]"], "ids": [0] * 99}})},
        {"normalizer": {"type": "Unheard of"}},
        {"normalizer": ["NFC"]},
        {"normalizer": {}},
        {"model": {"type": "WordLevel", "vocab": {"a": 2**70}, "unk_token": "a"}},
        {"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "nonesuch"}},
        {"model": {"type": "Unigram", "vocab": [["<unk>", 0.0], ["a" * 9999, 0.0]], "unk_id": 0}},
    ],
    ids=lambda parts: json.dumps(parts)[:60],
)
def test_what_could_grow_a_text_or_never_end_is_refused_with_a_sentence(parts):
    with pytest.raises(TokenizerError) as refused:
        tokenizer_of_json(written(**parts))
    assert len(str(refused.value)) > 10
    with pytest.raises(ValueError, match="not a byte-level tokenizer"):
        ByteLevelTokenizer.from_json(written(**parts))


def test_what_was_checked_is_what_is_read_where_a_name_stands_twice():
    bomb = json.dumps(replace("e", "e" * 50))
    text = written(normalizer=None).replace(
        '"normalizer": null', f'"normalizer": {bomb}, "normalizer": null'
    )
    assert tokenizer_of_json(text).normalizer is None


def test_no_text_is_filled_up_to_the_length_that_a_file_says():
    padding = {
        **{"strategy": {"Fixed": 1 << 60}, "direction": "Right", "pad_to_multiple_of": None},
        **{"pad_id": 0, "pad_type_id": 0, "pad_token": "[CLS]"},
    }
    assert tokenizer_of_json(written(padding=padding)).encode("a").ids == [3]


@pytest.mark.parametrize("pattern", sorted(PATTERNS))
def test_known_patterns_are_read_and_end_soon_on_long_words(pattern):
    found = tokenizer_of_json(written(pre_tokenizer=regex(pattern)))
    for text in ("a" * 20_000 + "!", " " * 20_000, "'" * 20_000, "老" * 20_000, "က္" * 9_000):
        found.encode(text)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["A", "C", "G", "T"], "A C G T"),
    ],
)
def test_what_stands_around_a_text_is_found_with_a_token_of_the_vocabulary(words, text):
    vocabulary = {"[CLS]": 0, "[SEP]": 1} | {word: at for at, word in enumerate(words, start=2)}
    fast = tokenizers.Tokenizer(models.BPE(vocabulary, [], ignore_merges=True))
    fast.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast.add_special_tokens(["[CLS]", "[SEP]"])
    fast.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    found = FastTokenizer(fast.to_str(), len(vocabulary))
    assert (found.begins, found.ends) == ((0,), (1,))
    assert [*found.begins, *found.encode(text).ids, *found.ends] == fast.encode(text).ids
