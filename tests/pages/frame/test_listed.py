import pytest

from pages.frame import language
from pages.frame.language import in_this_language, joined, listed, listed_apart


@pytest.mark.parametrize(("tag", "said"), [("en", "a, b; c"), ("zh_CN", "a、b；c")])
def test_texts_are_listed_as_the_reader_s_language_does_it(tag, said, monkeypatch):
    monkeypatch.setattr(language, "visitor", lambda: tag)
    assert in_this_language(lambda: listed_apart([listed(["a", "b"]), "c"]))() == said


@pytest.mark.parametrize(("tag", "said"), [("en", "一。 二。 三。"), ("zh_CN", "一。二。三。")])
def test_no_space_stands_between_the_sentences_of_a_language_that_writes_none(
    tag, said, monkeypatch
):
    monkeypatch.setattr(language, "visitor", lambda: tag)
    assert in_this_language(lambda: joined(["一。", None, "二。", "", "三。"]))() == said
    assert in_this_language(lambda: joined([None, ""]))() == ""
