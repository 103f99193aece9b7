import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.families import folders
from tests.core.families.test_tokenizer import WRITERS, read


@pytest.mark.parametrize("kind", ["gpt2", "json"])
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40))
def test_bytes_give_back_the_text(kind, text, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / f"bytes-{kind}"
    if not path.exists():
        path.mkdir()
        WRITERS[kind](path)
    n = 2000
    source, _ = read(path, kind, n)
    if "<|" not in text:
        assert source.decode(source.encode(text).ids) == text.removeprefix(" ")


def test_pieces_of_a_word_are_one_word_and_read_without_signs(tmp_path):
    n = folders.write_bert(tmp_path)
    source, _ = read(tmp_path, "bert", n)
    tokens = source.describe(source.encode("The street [MASK]").ids)
    assert [token.text for token in tokens][0] == "the"
    assert source.word_texts(source.encode("The street [MASK]").ids) == ["the", "street", "[MASK]"]
    assert tokens[-1].special
    assert source.encode("[MASK]").ids == (source.mask_id,)


@pytest.mark.parametrize(
    ("settings", "begins"),
    [
        ({"add_bos_token": True, "bos_token": "<|begin|>"}, True),
        ({"add_bos_token": True, "bos_token": {"content": "<|begin|>"}}, True),
        ({"add_bos_token": False}, False),
        ({}, None),
    ],
)
@pytest.mark.parametrize("framed", [False, True])
def test_what_stands_before_a_text_is_in_the_file_or_beside_it(tmp_path, settings, begins, framed):
    n = folders.write_json(tmp_path, begins=framed)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    source, _ = read(tmp_path, "json", n)
    assert bool(source.begins) == (framed if begins is None else begins)
