"""Pages in a language that marks every text: whatever stays English is found."""

from importlib import import_module

import pytest
from streamlit.testing.v1 import AppTest

from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.experiments import EXPERIMENTS
from pages.frame import language, texts
from pages.frame.language import plain
from pages.views.heads import prune
from tests.escaping_texts import ROOT
from tests.pages import pseudo_locale
from tests.pages.conftest import MODEL, _run_page
from tests.pages.every_view import CASES, query_of

SENTENCE = "The animal slept because it was tired."


@pytest.fixture(scope="module")
def marked_texts(tmp_path_factory):
    # What a module translates when it is imported would stay in this language for other tests.
    for file in (ROOT / "pages").rglob("*.py"):
        import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    locales, data = tmp_path_factory.mktemp("locales"), tmp_path_factory.mktemp("texts")
    pseudo_locale.write(locales)
    pseudo_locale.write_texts(data)
    return locales, data


@pytest.fixture
def open_marked(marked_texts):
    """Return a function that opens a page in the language that marks every text.

    What was computed for other languages stays, as in the app: no text is part of it.
    """

    def opener(page, **query_params):
        at = AppTest.from_function(_run_page, kwargs={"name": page}, default_timeout=90)
        at.query_params.update(query_params | {"lang": pseudo_locale.LANGUAGE})
        at.run()
        assert not at.exception, at.exception
        return at

    with pytest.MonkeyPatch.context() as patch:
        locales, data = marked_texts
        patch.setattr(language, "LOCALES", locales)
        patch.setattr(texts, "TEXTS", data)
        patch.setattr(prune, "N_PRUNED", 6)
        yield opener


@pytest.fixture(scope="module")
def own():
    """Words that are in no catalogue: the sentence's and the translation's."""
    run = load_run(ROOT / "gallery" / MODEL)
    inspection = inspect_sentence(run, SENTENCE)
    words = {token.text for token in (*inspection.source_tokens, *inspection.fed_tokens)}
    # The sentence itself, and the papers in which a claim is made, as the pages show them.
    sources = {f"[ [({plain(each.source)})]]" for each in EXPERIMENTS.values()}
    return words | sources | {f"[{plain(SENTENCE)}]"}


@pytest.mark.parametrize(("page", "name"), CASES)
def test_no_view_stays_english(page, name, open_marked, own):
    query = {"model": MODEL, "sentence": SENTENCE} | query_of(page, name)
    left = pseudo_locale.left_in_english(open_marked(page, **query), own)
    assert not left, "\n".join(left)


def test_nothing_of_the_start_stays_english_but_the_sentences_and_the_licence(open_marked):
    caption, said = pseudo_locale.left_in_english(open_marked("attention"))
    assert caption == f"caption: {plain(load_run(ROOT / 'gallery' / 'everyday').notice)}"
    assert said.startswith("markdown: The animal didn")
    assert "fatigué" in said


def test_what_stays_english_is_found(open_marked, monkeypatch):
    monkeypatch.setattr("pages.views.runs.manage._", lambda message: message)
    assert pseudo_locale.left_in_english(open_marked("runs"))


def test_an_axis_that_stays_english_is_found(open_marked, monkeypatch, own):
    query = {"model": MODEL, "sentence": SENTENCE, "view": "compare"}
    before = pseudo_locale.left_in_english(open_marked("attention", **query), own)
    monkeypatch.setattr("pages.frame.selection._", lambda message: message)
    after = pseudo_locale.left_in_english(open_marked("attention", **query), own)
    assert [each for each in after if "looked at" in each and each not in before]


def test_the_language_is_for_tests_alone():
    assert pseudo_locale.LANGUAGE not in language.languages()
