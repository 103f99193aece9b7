from core.vocabulary import BOS, EOS, FIRST_ID, PAD, SPECIAL_TEXTS, Span


def test_the_special_tokens_are_the_first_ids():
    assert sorted(SPECIAL_TEXTS) == [PAD, BOS, EOS] == list(range(FIRST_ID))


def test_a_span_is_a_part_of_a_text():
    assert Span(4, 10).of("The animal slept.") == "animal"
