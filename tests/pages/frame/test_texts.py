import json
import re
from collections import Counter

import pytest

from pages.frame import glossary, texts
from pages.frame.glossary import terms
from pages.frame.links import PAGES
from pages.frame.texts import TEXTS, parsed
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


def test_what_terms_and_stops_link_to_is_there():
    for name, page, query in LINKS:
        assert page in PAGES, name
        choice = every_view.PAGES.get(page)
        if choice in query:
            assert (page, query[choice]) in every_view.CASES, name


ENGLISH_FILES = sorted((TEXTS / "en").rglob("*.md"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_sections_and_formulas(language):
    for file in ENGLISH_FILES:
        english = parsed(file.read_text())
        assert english.label and english.question, file
        other = parsed((TEXTS / language / file.relative_to(TEXTS / "en")).read_text())
        assert other.label and other.question, file
        assert list(other.sections) == list(english.sections), file
        assert other.formula == english.formula, file
        for name, text in english.sections.items():
            code = re.findall(r"`[^`]+`", text)
            assert code == re.findall(r"`[^`]+`", other.sections[name]), file


def test_no_form_and_no_name_stands_for_two_terms():
    forms = Counter(form.lower() for term in terms() for form in term.forms)
    names = Counter(term.name for term in terms())
    assert [each for found in (forms, names) for each, n in found.items() if n > 1] == []


def test_the_script_has_every_term_and_nothing_that_looks_like_an_element(monkeypatch):
    bodies = []
    monkeypatch.setattr(glossary.st, "html", lambda body, **_how: bodies.append(body))
    glossary.lend()
    script = bodies[0].removeprefix("<script>").removesuffix("</script>")
    given = json.loads(re.match(r"Object.assign\(window, (.*)\);", script)[1])["glossary"]
    assert [(each["forms"], each["text"], each["marked"]) for each in given] == [
        (list(term.forms), term.text, not term.of_the_model) for term in terms()
    ]
    # Streamlit would drop all of it without a word.
    assert not re.search(r"<[/\w!]", script)
