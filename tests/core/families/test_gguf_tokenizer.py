import json

import gguf
import pytest
import sentencepiece

from core.families import FamilyError
from core.families.gguf_tokenizer import gguf_tokenizer
from core.families.tokenizer import read_tokenizers
from tests.core.families import folders
from tests.core.families.folders import STRANGE, TEXTS

# A typed special token is the special token, as llama.cpp reads it.
TYPED = [text for text in [*TEXTS, *STRANGE] if text.strip() and "</s>" not in text]
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6


def write(path, kind, tokens, types, **more):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model(kind)
    if tokens:
        writer.add_token_list(tokens)
        writer.add_token_types(types)
    for name, value in more.items():
        getattr(writer, f"add_{name}")(value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def merges_of(fast):
    return [" ".join(pair) for pair in json.loads(fast.to_str())["model"]["merges"]]


def byte_level(path, pre="gpt-2", **more):
    fast = folders.byte_level()
    numbers = fast.get_vocab()
    tokens = sorted(numbers, key=numbers.get)
    types = [CONTROL if token == "<|endoftext|>" else NORMAL for token in tokens]
    given = {"token_merges": merges_of(fast), "tokenizer_pre": pre} | more
    return write(path, "gpt2", tokens, types, **given), len(tokens), fast


def by_scores(path, **more):
    content = folders.spm(
        "bpe",
        256 + 3 + folders.WORDS,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=content)
    n = model.get_piece_size()
    kinds = [
        UNKNOWN
        if model.is_unknown(at)
        else CONTROL
        if model.is_control(at)
        else BYTE
        if model.is_byte(at)
        else NORMAL
        for at in range(n)
    ]
    scores = [model.get_score(at) for at in range(n)]
    ids = {"bos_token_id": 1, "eos_token_id": 2}
    tokens = [model.id_to_piece(at) for at in range(n)]
    return write(path, "llama", tokens, kinds, token_scores=scores, **ids | more), n, model


@pytest.mark.parametrize("text", [*TEXTS, *STRANGE])
def test_bytes_are_put_together_as_in_the_tokenizer_that_was_written(tmp_path, text):
    file, n, fast = byte_level(tmp_path / "m.gguf")
    found = gguf_tokenizer(file, n)
    assert list(found.encode(text).ids) == fast.encode(text).ids
    assert found.specials == {fast.token_to_id("<|endoftext|>"): "<|endoftext|>"}
    assert found.begins == ()


@pytest.mark.parametrize("text", TYPED)
def test_pieces_with_scores_are_those_that_sentencepiece_finds(tmp_path, text):
    file, n, model = by_scores(tmp_path / "m.gguf")
    found = gguf_tokenizer(file, n)
    if "  " not in text:
        assert list(found.encode(text).ids) == model.encode(text)
    assert found.begins == (1,)
    assert found.decode(found.encode(text).ids) == text


def test_it_is_kept_as_a_file_of_the_tokenizers_library(tmp_path):
    file, n, _ = byte_level(tmp_path / "m.gguf", pre="llama-bpe", bos_token_id=0)
    found = gguf_tokenizer(file, n)
    for name, content in found.files().items():
        (tmp_path / name).write_bytes(content)
    again, _ = read_tokenizers(tmp_path, n, n, {})
    assert again.ids_of_all(TEXTS) == found.ids_of_all(TEXTS)
    assert (again.begins, again.specials) == (found.begins, found.specials)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("none", "there is no tokenizer"),
        ("kind", "is of the kind 'wpm'; known are 'gpt2' and 'llama'"),
        ("pre", "cuts texts as 'deepseek'; known are gpt-2"),
        ("twice", "names a token twice"),
        ("merges", "cannot be read"),
        ("too many", "the model has 10"),
    ],
)
def test_a_tokenizer_that_is_not_known_is_refused(tmp_path, how, sentence):
    file = tmp_path / "m.gguf"
    n = 10
    match how:
        case "none":
            write(file, "gpt2", [], [])
        case "kind":
            write(file, "wpm", ["a"], [NORMAL])
        case "pre":
            byte_level(file, pre="deepseek")
        case "twice":
            write(file, "gpt2", ["a", "a"], [NORMAL, NORMAL])
        case "merges":
            write(file, "gpt2", ["a"], [NORMAL], token_merges=["x y"])
        case "too many":
            byte_level(file)
    with pytest.raises(FamilyError, match=sentence):
        gguf_tokenizer(file, n)
