import pytest

from core.tasks import length_filter
from core.tasks.length_filter import those_that_fit, token_counts


@pytest.mark.slow
def test_pairs_fit_whose_longer_side_has_room_for_a_special_token(
    tokenizer, translations, monkeypatch
):
    monkeypatch.setattr(length_filter, "_AT_ONCE", 7)
    expected = [len(tokenizer.encode(each.source).ids) for each in translations]
    assert token_counts(tokenizer, [each.source for each in translations]).tolist() == expected
    longest = [
        max(len(tokenizer.encode(text).ids) for text in (each.source, each.target))
        for each in translations
    ]
    fitting = those_that_fit(translations, tokenizer, sorted(longest)[len(longest) // 2])
    assert [each in fitting for each in translations] == [
        n < sorted(longest)[len(longest) // 2] for n in longest
    ]
