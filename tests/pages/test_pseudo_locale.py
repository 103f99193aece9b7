"""Pages in a language that marks every text: whatever stays English is found."""

from importlib import import_module

import pytest
from streamlit.testing.v1 import AppTest

from pages.frame import language
from tests.escaping_texts import ROOT
from tests.pages import pseudo_locale
from tests.pages.conftest import _run_page

PAGES = sorted(file.stem for file in (ROOT / "pages").glob("*.py") if file.stem != "__init__")
CONVERTED: list[str] = ["runs"]
"""Pages of which nothing is English any more; it may only grow."""


@pytest.fixture(scope="module")
def marked_texts(tmp_path_factory):
    # What a module translates when it is imported would stay in this language for other tests.
    for file in (ROOT / "pages").rglob("*.py"):
        import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    locales = tmp_path_factory.mktemp("locales")
    pseudo_locale.write(locales)
    return locales


@pytest.fixture
def open_marked(marked_texts, monkeypatch):
    """Return a function that opens a page in the language that marks every text."""
    monkeypatch.setattr(language, "LOCALES", marked_texts)

    def opener(page, **query_params):
        at = AppTest.from_function(_run_page, kwargs={"name": page}, default_timeout=90)
        at.query_params.update(query_params | {"lang": pseudo_locale.LANGUAGE})
        at.run()
        assert not at.exception, at.exception
        return at

    return opener


@pytest.mark.parametrize("page", PAGES)
def test_nothing_stays_english_on_pages_that_are_converted(page, open_marked):
    left = pseudo_locale.left_in_english(open_marked(page))
    if page in CONVERTED:
        assert not left, "\n".join(left)
    else:
        assert left, f"nothing of {page} is English any more: put it into CONVERTED"


def test_what_stays_english_is_found(open_marked, monkeypatch):
    monkeypatch.setattr("pages.views.runs.manage._", lambda message: message)
    assert pseudo_locale.left_in_english(open_marked("runs"))


def test_the_language_is_for_tests_alone():
    assert pseudo_locale.LANGUAGE not in language.languages()
