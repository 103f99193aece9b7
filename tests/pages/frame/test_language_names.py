import pytest

from pages.frame import language
from pages.frame.language_names import title


@pytest.mark.parametrize(
    ("languages", "visitor", "said"),
    [
        (["en", "zh_CN"], "en", "中文"),
        (["en", "zh_CN"], "zh_CN", "English"),
        (["en", "de", "zh_CN"], "en", "Language"),
    ],
)
def test_the_way_to_the_only_other_language_has_its_name(languages, visitor, said, monkeypatch):
    monkeypatch.setattr(language, "languages", lambda: languages)
    monkeypatch.setattr(language, "visitor", lambda: visitor)
    assert title() == said
