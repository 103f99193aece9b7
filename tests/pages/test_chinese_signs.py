"""Chinese texts have Chinese signs: what code puts together is looked at as a page shows it."""

import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from pages.locales import catalogues
from pages.views.heads import prune
from tests.pages import pseudo_locale
from tests.pages.conftest import MODEL, _run_page
from tests.pages.data_texts import NAMES, texts_of
from tests.pages.every_view import CASES, query_of
from tests.pages.test_languages import CHINESE

HAN = "[\u4e00-\u9fff]"
AS_WRITTEN = re.compile(rf"`[^`]*`|\$[^$]*\$|:material/\w+:|:\w+(?=\[)|\*\*(?:(?!{HAN}|\*).)+\*\*")
"""Code, formulas, marks of Markdown, and tokens: what is bold without being Chinese."""
MARKS = re.compile(r"[*\[\]]")
NUMBERED = ("层.头",)
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
    for name in NUMBERED:
        text = text.replace(name, "")
    text = MARKS.sub("", text)
    return [text[max(0, at.start() - 8) : at.end() + 8] for at in HALF_WIDTH.finditer(text)]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "name"), CASES)
def test_no_sign_of_english_stands_beside_chinese(page, name, monkeypatch):
    monkeypatch.setattr(prune, "N_PRUNED", 6)
    at = AppTest.from_function(_run_page, kwargs={"name": page}, default_timeout=90)
    at.query_params.update({"model": MODEL, "lang": "zh_CN"} | query_of(page, name))
    at.run()
    assert not at.exception, at.exception
    found = {
        f"{kind}: {place}"
        for kind, text in pseudo_locale.texts_of(at)
        for place in half_width(text)
    }
    assert not found, "\n".join(sorted(found))


def test_no_text_of_the_catalogue_or_of_the_data_has_one():
    """Also what no view above shows: refusals, helps, other pages."""
    texts = [
        *(each for file in NAMES for each in texts_of("zh", file).values()),
        *(
            form
            for text in catalogues.read(CHINESE)
            if text.id
            for form in catalogues._forms(text.string)
        ),
    ]
    found = [place for text in texts for place in half_width(text)]
    assert not found, "\n".join(found)
