import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tasks import length_filter as module
from core.tasks.columns import tidy
from core.tasks.length_filter import token_counts


@given(st.lists(st.text("aé'’ns nt.,1 23l日\u0301", max_size=20).map(tidy), min_size=1))
def test_tokens_are_counted_as_the_tokenizer_splits(tokenizer, texts):
    expected = [len(encoding.ids) for encoding in tokenizer.encode_all(texts)]
    assert token_counts(tokenizer, texts).tolist() == expected


@pytest.mark.parametrize("at_once", [7, 20_000])
def test_tokens_of_sentences_are_counted_in_parts(tokenizer, translations, monkeypatch, at_once):
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    texts = [text for each in translations for text in (each.source, each.target)]
    expected = [len(encoding.ids) for encoding in tokenizer.encode_all(texts)]
    assert token_counts(tokenizer, texts).tolist() == expected
