from types import SimpleNamespace

from streamlit.testing.v1 import AppTest

from pages.frame.language import LOCALES
from pages.locales import catalogues
from tests.pages.conftest import ROOT

CHINESE = LOCALES / "zh_CN" / "LC_MESSAGES" / "app.po"


def test_english_and_chinese_are_offered_under_their_own_names(open_page):
    at = open_page("languages", model=None)
    assert [each.label for each in at.button] == ["English", "中文"]
    at.button(key="language_zh_CN").click().run()
    assert not at.exception
    assert "浏览器" in at.markdown[-1].value
    at.button(key="language_en").click().run()
    assert "browser" in at.markdown[-1].value


def test_nothing_is_missing_in_chinese():
    said = list(catalogues.lacks(updated()))
    assert said == [
        "zh_CN: 0 missing, 0 doubtful (fuzzy), 0 with other {names}, 0 no longer used"
    ], "make texts, and translate:\n" + "\n".join(said)


def updated():
    catalogue = catalogues.read(CHINESE)
    catalogue.update(catalogues.collected())
    return catalogue


def test_what_the_app_reads_of_chinese_is_what_the_catalogue_says(tmp_path):
    compiled = tmp_path / "app.mo"
    catalogues.compile_texts(compiled, catalogues.read(CHINESE))
    assert compiled.read_bytes() == CHINESE.with_suffix(".mo").read_bytes(), "make texts"


def test_the_names_of_pages_are_chinese_from_the_first_moment(monkeypatch):
    asked = []

    def navigation(pages, **_how):
        asked.extend(pages)
        return SimpleNamespace(url_path="glossary", run=lambda: None)

    monkeypatch.setattr("streamlit.navigation", navigation)
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.query_params["lang"] = "zh_CN"
    at.run()
    assert not at.exception, at.exception
    named = {page.url_path: page.title for page in asked}
    assert (named["heads"], named["decoding"], named["languages"]) == (
        "注意力头",
        "解码",
        "English",
    )
