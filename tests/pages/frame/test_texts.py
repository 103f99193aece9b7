import re

import pytest

from pages.frame import texts
from pages.frame.glossary import terms
from pages.frame.links import PAGES
from pages.frame.tour import own_tour
from tests.pages import every_view
from tests.pages.data_texts import NAMES, texts_of

LANGUAGES = sorted(folder.name for folder in texts.TEXTS.iterdir() if folder.name != "en")
PLACEHOLDERS = re.compile(r"\{\w*\}")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", LANGUAGES)
def test_a_language_has_the_entries_of_the_english_file_and_their_names(other, name):
    english, translated = texts_of("en", name), texts_of(other, name)
    assert list(translated) == list(english)
    for path, text in english.items():
        assert translated[path]
        found = sorted(PLACEHOLDERS.findall(translated[path]))
        assert found == sorted(PLACEHOLDERS.findall(text)), path


@pytest.fixture
def two_terms(tmp_path, monkeypatch):
    """Two entries, of which German has one in part."""
    (tmp_path / "en").mkdir()
    (tmp_path / "de").mkdir()
    (tmp_path / "en" / "a.toml").write_text('[x]\none = "1"\nlink = "/"\n[y]\none = "2"\n')
    (tmp_path / "de" / "a.toml").write_text('[x]\none = "eins"\n')
    monkeypatch.setattr(texts, "TEXTS", tmp_path)


ENGLISH = {"x": {"one": "1", "link": "/"}, "y": {"one": "2"}}


@pytest.mark.parametrize("asked", ["en", "fr", "qps"])
def test_english_stands_in_for_a_language_without_texts(two_terms, asked):
    assert texts.toml("a", asked) == ENGLISH


def test_what_a_language_lacks_of_a_file_is_english(two_terms, monkeypatch):
    monkeypatch.setattr(texts, "visitor", lambda: "de_AT")
    assert texts.toml("a") == ENGLISH | {"x": {"one": "eins", "link": "/"}}


LINKS = [(term.name, term.page, term.query) for term in terms()] + [
    (stop.title, stop.page, query)
    for stop in own_tour().stops
    for query in (stop.query, {**stop.query, **stop.shows})
]


@pytest.mark.parametrize(("name", "page", "query"), LINKS)
def test_what_terms_and_stops_link_to_is_there(name, page, query):
    assert page in PAGES
    choice = every_view.PAGES.get(page)
    if choice in query:
        assert (page, query[choice]) in every_view.CASES
