import json

import pytest
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from core.families.family import FamilyError
from core.families.tokenizer import read_tokenizers
from tests.core.families import folders
from tests.core.families.test_tokenizer import read


def test_a_blank_of_t5_can_be_typed(tmp_path):
    n = folders.write_t5(tmp_path)
    source, _ = read(tmp_path, "t5", n)
    ids = source.encode("The <extra_id_0> street <extra_id_99>").ids
    assert [t.text for t in source.describe(ids) if t.special] == ["<extra_id_0>", "<extra_id_99>"]
    size = n - 128
    assert (size + 99, size) == (ids[ids.index(size + 99)], ids[-1])
    assert source.specials[n - 1] == f"unused {n - 1}"


def test_a_language_is_one_token_at_the_beginning_only(tmp_path):
    n = folders.write_marian(tmp_path)
    source, _ = read(tmp_path, "marian", n)
    numbers = json.loads((tmp_path / "vocab.json").read_text())
    assert source.encode(">>fra<< street").ids[0] == numbers[">>fra<<"]
    assert numbers[">>fra<<"] not in source.encode("street >>fra<<").ids


def test_a_translator_may_write_in_a_vocabulary_of_its_own(tmp_path):
    folders.write_marian(tmp_path, separate=True)
    sizes = [
        len(json.loads((tmp_path / f"{name}.json").read_text()))
        for name in ("vocab", "target_vocab")
    ]
    source, target = read_tokenizers(tmp_path, *sizes, {})
    assert (source.vocab_size, target.vocab_size) == tuple(sizes)
    text = "nous dormait"
    assert target.decode(target.encode(text).ids) == text


def test_a_model_that_makes_much_of_a_character_is_refused(tmp_path):
    n = folders.write_t5(tmp_path)
    found = ModelProto.FromString((tmp_path / "spiece.model").read_bytes())
    table = found.normalizer_spec.precompiled_charsmap
    found.normalizer_spec.precompiled_charsmap = table + b"e" * 65 + b"\0"
    (tmp_path / "spiece.model").write_bytes(found.SerializeToString())
    with pytest.raises(FamilyError, match="more than 64 bytes in the place of a character"):
        read(tmp_path, "t5", n)
