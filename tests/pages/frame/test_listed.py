import pytest

from pages.frame import language
from pages.frame.language import in_this_language
from pages.frame.listed import listed, listed_apart


@pytest.mark.parametrize(("tag", "said"), [("en", "a, b; c"), ("zh_CN", "a、b；c")])
def test_texts_are_listed_as_the_reader_s_language_does_it(tag, said, monkeypatch):
    monkeypatch.setattr(language, "visitor", lambda: tag)
    assert in_this_language(lambda: listed_apart([listed(["a", "b"]), "c"]))() == said
