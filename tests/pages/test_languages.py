import re
from html import unescape
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from pages.locales import catalogues
from tests.pages.conftest import ROOT
from tests.pages.data_texts import NAMES as FILES
from tests.pages.data_texts import texts_of
from tests.pages.pseudo_locale import CHINESE

HAN = "[\u4e00-\u9fff]"
AS_WRITTEN = re.compile(rf"`[^`]*`|\$[^$]*\$|:material/\w+:|:\w+(?=\[)|\*\*(?:(?!{HAN}|\*).)+\*\*")
"""Code, formulas, marks of Markdown, and tokens: what is bold without being Chinese."""
MARKS = re.compile(r"[*\[\]]")
AS_NUMBERS = ("层.头",)
"""As numbers are written: 0.3 is head 3 of layer 0."""
HALF_WIDTH = re.compile(
    rf"(?:{HAN}|）)[:;,.!?](?!\d)|[:;,!?] *{HAN}|[:;] \d+ {HAN}|\.{HAN}|\([^()]*{HAN}[^()]*\)",
    re.MULTILINE,
)


def half_width(text):
    """Return the places of a text at which a sign of English stands beside Chinese.

    >>> half_width("头 A: 权重"), half_width("权重."), half_width("q·k: 8 个")
    (['头 A: 权重'], ['权重.'], ['q·k: 8 个'])
    >>> half_width("头 (编码器)")
    ['头 (编码器)']
    >>> half_width("头 A：`a, b`，$x, y$，**.** 和 1, 2，f(x) 的变化")
    []
    """
    text = AS_WRITTEN.sub("·", unescape(text))
    for name in AS_NUMBERS:
        text = text.replace(name, "")
    text = MARKS.sub("", text)
    return [text[max(0, at.start() - 8) : at.end() + 8] for at in HALF_WIDTH.finditer(text)]


def test_english_and_chinese_are_offered_under_their_own_names(open_page):
    at = open_page("languages", model=None)
    assert [each.label for each in at.button] == ["English", "中文"]
    at.button(key="language_zh_CN").click().run()
    assert not at.exception
    assert "浏览器" in at.markdown[-1].value
    at.button(key="language_en").click().run()
    assert "browser" in at.markdown[-1].value


@pytest.fixture(scope="module")
def collected():
    """All texts of the app."""
    return catalogues.collected()


def test_texts_of_every_layer_are_collected(collected):
    places = {place.split("/")[0] for text in collected for place, _line in text.locations}
    assert {"app.py", "pages"} <= places
    assert collected["Attention"] is not None
    cut = "The sentence was cut after {n} token: the model has no more positions."
    assert collected[cut].pluralizable


def test_nothing_is_missing_in_chinese(collected):
    catalogue = catalogues.read(CHINESE)
    catalogue.update(collected)
    said = list(catalogues.lacks(catalogue))
    assert said == [
        "zh_CN: 0 missing, 0 doubtful (fuzzy), 0 with other {names}, 0 no longer used"
    ], "make texts, and translate:\n" + "\n".join(said)


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


NAMES = frozenset(
    {
        *("Transformer", "Transformer base", "Transformer big", "BERT base", "BERT large"),
        *("T5 small", "T5 base", "SmolLM2 135M", "TinyLlama 1.1B", "LLaMA 7B", "LLaMA 3 8B"),
        *(
            "BLEU",
            "ReLU",
            "GELU",
            "SiLU",
            "Softmax",
            "softmax",
            "LayerNorm",
            "dropout",
            "Dropout",
            "logit",
        ),
        *("Python", "d_model", "chrF", "chrF|chrF2"),
        *("it = the animal", "it = the street", "it", "tired", "wide", "they"),
        "The house is red.; La maison est rouge.",
    }
)
"""Of models, measures, functions and data, which Chinese texts of the field leave as they are."""


def test_no_english_stands_in_the_chinese_catalogue_but_names():
    left = [
        text.id
        for text in catalogues.read(CHINESE)
        if text.id
        and text.id not in NAMES
        and not re.search("[\u4e00-\u9fff]", "".join(catalogues._forms(text.string)))
        and re.search("[A-Za-z]{4}", re.sub(r"\{\w+[^{}]*\}", "", catalogues._forms(text.id)[0]))
    ]
    assert not left


def test_no_sign_of_english_stands_beside_chinese_in_the_catalogue():
    written = [
        *(each for file in FILES for each in texts_of("zh", file).values()),
        *(
            form
            for text in catalogues.read(CHINESE)
            if text.id
            for form in catalogues._forms(text.string)
        ),
    ]
    found = [place for text in written for place in half_width(text)]
    assert not found, "\n".join(found)
