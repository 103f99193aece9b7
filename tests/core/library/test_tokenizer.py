"""Tokenizers of folders, held against those of `transformers`."""

import json

import pytest
import tokenizers
import transformers
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from core.library.checkpoint import OpeningError
from core.library.tokenizer import tokenizer_files
from core.tokenizer.bpe_json import TokenizerError
from core.tokenizer.fast_tokenizer import FastTokenizer
from core.tokenizer.opened import opened_tokenizers
from tests.core.library import folders
from tests.core.library.folders import STRANGE, TEXTS

TOLD = {"json": "llama"}
"""What a folder of this kind says it is, where that is another word."""
WRITERS = {
    "bert": folders.write_bert,
    "gpt2": folders.write_gpt2,
    "json": folders.write_json,
    "llama": folders.write_llama,
    "t5": folders.write_t5,
    "marian": folders.write_marian,
}


def read(path, kind, n):
    files = tokenizer_files(path, {"model_type": TOLD.get(kind, kind)}, n)
    return opened_tokenizers(files, n, n, -1)


@pytest.fixture(scope="module", params=list(WRITERS))
def found(request, tmp_path_factory):
    path = tmp_path_factory.mktemp(request.param)
    n = WRITERS[request.param](path)
    return request.param, path, n, read(path, request.param, n)


def theirs(kind, path):
    """Return what `transformers` makes of the same files."""
    match kind:
        case "bert":
            return transformers.BertTokenizer(vocab=str(path / "vocab.txt"))
        case "gpt2":
            files = {"vocab": str(path / "vocab.json"), "merges": str(path / "merges.txt")}
            return transformers.GPT2Tokenizer(**files)
        case "json":
            file = str(path / "tokenizer.json")
            return transformers.PreTrainedTokenizerFast(tokenizer_file=file)
        case "llama":
            return transformers.LlamaTokenizer.from_pretrained(path, legacy=False)
        case "t5":
            return transformers.T5Tokenizer.from_pretrained(path)
        case "marian":
            return transformers.MarianTokenizer.from_pretrained(path)


TYPED = [text for text in [*TEXTS, *STRANGE] if text.strip()]


def test_ids_are_those_of_transformers(found):
    kind, path, _, (source, _) = found
    other = theirs(kind, path)
    for text in TYPED:
        # Nobody who types `</s>` to a Marian means the end of a text.
        if kind == "marian" and "</s>" in text:
            continue
        ids = [*source.begins, *source.encode(text).ids, *source.ends]
        assert ids == other(text)["input_ids"], text


def test_what_is_kept_of_it_is_the_same_tokenizer(found):
    _, _, n, both = found
    files = {name: content for each in both for name, content in each.files().items()}
    again = opened_tokenizers(files, n, n, -1)
    for one, other in zip(both, again, strict=True):
        assert (one.begins, one.ends, one.mask_id) == (other.begins, other.ends, other.mask_id)
        assert one.specials == other.specials
        assert one.ids_of_all(TYPED) == other.ids_of_all(TYPED)
        assert one.describe(range(n)) == other.describe(range(n))


@given(st.text(max_size=40))
def test_every_id_is_described_and_every_span_lies_in_the_text(found, text):
    _, _, n, (source, _) = found
    encoding = source.encode(text)
    assert list(encoding.ids) == source.ids_of_all([text])[0]
    tokens = source.describe(encoding.ids)
    assert len(tokens) == len(encoding.ids)
    assert all(0 <= number < n for number in encoding.ids)
    assert all(token.text for token in tokens)
    words = [token.word for token in tokens]
    assert all(0 <= after - before <= 1 for before, after in zip(words, words[1:], strict=False))
    assert all(
        0 <= span.start <= span.end <= len(text) or span.start == span.end + 1
        for span in encoding.spans
    )


@pytest.mark.parametrize(
    ("file", "settings"),
    [
        ("special_tokens_map.json", {"tokenizer_file": "{there}"}),
        ("tokenizer_config.json", {"fast_tokenizer_files": ["{there}"]}),
    ],
)
def test_a_tokenizer_that_lies_elsewhere_is_not_read(tmp_path, file, settings):
    here, there = tmp_path / "model", tmp_path / "elsewhere"
    for path in (here, there):
        path.mkdir()
        n = folders.write_json(path)
    place = there / "tokenizer.4.0.0.json"
    content = (there / "tokenizer.json").read_text().replace("<|begin|>", "<|secret|>")
    place.write_text(content)
    (here / file).write_text(json.dumps(settings).replace("{there}", str(place)))
    source, _ = read(here, "json", n + 100)
    assert "<|begin|>" in source.specials.values()
    assert "<|secret|>" not in source.specials.values()


def test_case_stays_where_the_settings_say_so(tmp_path):
    n = folders.write_bert(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert read(tmp_path, "bert", n)[0].normalise("The É") == "The É"


def test_more_special_tokens_than_the_model_has_are_not_made(tmp_path):
    n = folders.write_t5(tmp_path)
    about = {"tokenizer_class": "T5Tokenizer", "extra_ids": 10**8}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(about))
    assert read(tmp_path, "t5", n)[0].vocab_size == n


def test_a_token_without_letters_is_described_as_unused():
    numbers = {"[UNK]": 0, "a": 1, "##": 2}
    fast = tokenizers.Tokenizer(tokenizers.models.WordPiece(numbers, unk_token="[UNK]"))
    tokens = FastTokenizer(fast.to_str(), 4).describe([1, 2, 3])
    assert [token.text for token in tokens] == ["a", "unused 2", "unused 3"]


def test_one_tokenizer_does_not_serve_two_vocabularies(tmp_path):
    n = folders.write_gpt2(tmp_path)
    files = tokenizer_files(tmp_path, {"model_type": "gpt2"}, n)
    with pytest.raises(TokenizerError, match="there is one tokenizer"):
        opened_tokenizers(files, n, n + 1, -1)


@pytest.mark.parametrize("kind", ["gpt2", "json"])
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40))
def test_bytes_give_back_the_text(kind, text, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / f"bytes-{kind}"
    if not path.exists():
        path.mkdir()
        WRITERS[kind](path)
        READ[kind] = read(path, kind, 2000)[0]
    source = READ[kind]
    if "<|" not in text:
        assert source.decode(source.encode(text).ids) == text.removeprefix(" ")


READ = {}
"""Kind → its tokenizer."""


@pytest.mark.parametrize("name", ["spiece.model", "source.spm"])
def test_a_model_that_makes_much_of_a_character_is_refused(tmp_path, name):
    kind = "t5" if name == "spiece.model" else "marian"
    n = WRITERS[kind](tmp_path)
    found = ModelProto.FromString((tmp_path / name).read_bytes())
    table = found.normalizer_spec.precompiled_charsmap
    found.normalizer_spec.precompiled_charsmap = table + b"e" * 65 + b"\0"
    (tmp_path / name).write_bytes(found.SerializeToString())
    with pytest.raises((OpeningError, TokenizerError), match="more than 64 bytes in the place of"):
        read(tmp_path, kind, n)
