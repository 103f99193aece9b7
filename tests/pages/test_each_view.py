"""Every view of every page is drawn in a language that marks all texts, some of them for their
files, too.

`make slow` makes the files of all others, and draws every view with all models of the gallery in
Chinese, and with models of every other kind. The views are those that the pages list, so that one
that is added, renamed or merged needs nothing here.
"""

import re
from importlib import import_module
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.runs.settings import read_settings
from core.studies.experiments import EXPERIMENTS
from pages.frame import cached, language, texts
from pages.frame.language import LOCALES
from pages.frame.needs import Need, missing, why_not
from pages.frame.texts import TEXTS
from tests.pages import pseudo_locale
from tests.pages.conftest import MODEL, ROOT, said
from tests.pages.drawing import (
    HOSTILE,
    assert_computes,
    assert_files,
    draw,
    left_bare,
    taken_for_markup,
)
from tests.pages.every_view import CASES, FIRST, VIEWS, fitting, query_of
from tests.pages.kinds_of_model import KINDS
from tests.pages.test_languages import half_width
from viz.component import standalone

SENTENCE = "The animal slept because it was tired."
AT_ONCE = {(page, FIRST[page]) for page in ("whole", "attention", "heads", "training")}
"""The views whose files are made at once: pictures of each kind, and charts."""


@pytest.fixture(scope="module", autouse=True)
def _a_language_that_marks_every_text(tmp_path_factory):
    # What a module translates when it is imported would stay in this language for other tests.
    for file in (ROOT / "pages").rglob("*.py"):
        import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    locales, data = tmp_path_factory.mktemp("locales"), tmp_path_factory.mktemp("texts")
    pseudo_locale.write(locales)
    pseudo_locale.write_texts(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language, "LOCALES", locales)
        patch.setattr(texts, "TEXTS", data)
        yield


@pytest.fixture(scope="module")
def offline(browser):
    """A page of a browser that has no network."""
    window = browser.new_context(offline=True)
    yield window.new_page()
    window.close()


def own_words(model):
    """Return what is in no catalogue: words of the sentence, of its translation, and of papers."""
    inspection = inspect_sentence(load_run(cached.GALLERY / model), HOSTILE)
    tokens = {token.text for token in (*inspection.source_tokens, *inspection.fed_tokens)}
    sources = {f"[ [({each.source})]]" for each in EXPERIMENTS.values()}
    return tokens | sources | {f"[{HOSTILE}]", *re.findall(r"[^\W\d_]{2,}", HOSTILE)}


@pytest.mark.browser
@pytest.mark.parametrize(
    ("page", "name"),
    [
        pytest.param(page, name, marks=() if (page, name) in AT_ONCE else pytest.mark.slow)
        for page, name in CASES
    ],
)
def test_a_view_shows_its_numbers_and_can_be_taken_away(page, name, offline, tmp_path):
    drawing = draw(page, {"model": MODEL, "sentence": SENTENCE} | query_of(page, name))
    [seen] = drawing.seen
    assert seen.endswith((".", "”"))
    assert_files(drawing)
    about = drawing.about
    assert about["view"] == name
    assert_opens(offline, about["title"], drawing.files["HTML"](), tmp_path / "view.html")
    # Components have buttons of their own.
    for ending in ("png", "svg"):
        files = [label for label in drawing.files if label.lower().startswith(ending)]
        assert files or offline.locator(f".tools .{ending}").count()
    assert_computes(drawing.python, about["columns"])


def assert_opens(offline, title, written, file):
    """Open the view's own page, and make sure that all of its pictures are drawn."""
    failed = []

    def note(error):
        failed.append(error)

    offline.on("pageerror", note)
    file.write_text(written, encoding="utf-8")
    offline.goto(file.as_uri())
    expect(offline.locator("h1")).to_have_text(title)
    drawn = offline.locator("[data-drawn], .chart > svg, .numbers table, .numbers p")
    expect(drawn.first).to_be_attached()
    components = offline.locator("[id^=view-]")
    for number in range(components.count()):
        expect(components.nth(number).locator("[data-drawn]").first).to_be_attached()
    offline.remove_listener("pageerror", note)
    assert not failed


@pytest.fixture
def without_charts():
    """Leave charts out of a view's own page: tests/viz/charts draws them with such texts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(standalone, "chart_svg", lambda _chart, _signs: "")
        yield


@pytest.mark.usefixtures("without_charts")
@pytest.mark.parametrize(("page", "name"), CASES)
def test_a_view_speaks_the_readers_language_and_takes_no_sentence_for_markup(page, name):
    model = fitting(page, name)[:2][-1]
    typed = dict.fromkeys(("sentence", "other_sentence", "reference", "others"), HOSTILE)
    asked = query_of(page, name) | typed | {"model": model, "unit": "words"}
    drawing = draw(page, asked | {"lang": pseudo_locale.LANGUAGE})
    left = pseudo_locale.left_in_english(drawing.at, own_words(model))
    assert not left, "\n".join(left)
    assert taken_for_markup(drawing.at) == []
    assert left_bare(drawing.at) == []
    assert len(drawing.seen) == 1 or drawing.reasons
    if drawing.files:
        assert "\u2068" not in drawing.python + drawing.files["CSV"]()
        written = drawing.files["HTML"]()
        assert [mark for mark in ("<img src=x", "<script>alert") if mark in written] == []


OF_A_MODEL = [case for case in CASES if case[0] not in ("experiments", "training")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "name", "model"), [(*case, model) for case in OF_A_MODEL for model in fitting(*case)]
)
def test_a_view_shows_every_model_of_the_gallery_in_chinese(page, name, model, monkeypatch):
    monkeypatch.setattr(language, "LOCALES", LOCALES)
    monkeypatch.setattr(texts, "TEXTS", TEXTS)
    drawing = draw(page, query_of(page, name) | {"model": model, "lang": "zh_CN"})
    found = {
        f"{kind}: {place}"
        for kind, text in pseudo_locale.texts_of(drawing.at)
        for place in half_width(text)
    }
    assert not found, "\n".join(sorted(found))
    assert drawing.files or drawing.reasons
    if drawing.files:
        assert_files(drawing)


@pytest.mark.slow
@pytest.mark.parametrize(("page", "name"), CASES)
def test_a_link_opens_the_view_that_it_was_taken_from(page, name):
    about = draw(page, {"model": MODEL, "sentence": SENTENCE} | query_of(page, name)).about
    again = draw(page, parse_qs(urlsplit(about["link"]).query)).about
    assert again == about


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "page", "name"), [(kind, *case) for kind in KINDS for case in OF_A_MODEL]
)
def test_a_view_shows_a_model_of_any_kind_or_says_why_not(run_of_kind, elsewhere, kind, page, name):
    run = run_of_kind(kind)
    elsewhere("OWN", run.parent)
    drawing = draw(page, query_of(page, name) | {"model": "runs/run", "sentence": "a b c"})
    settings = read_settings(run)
    needs = VIEWS[page, name].needs
    if missing(settings, needs):
        # The page's own needs come before those of the view.
        [reason] = drawing.reasons
        assert reason in {why_not(load_run(run), [need]) for need in Need}
    else:
        assert drawing.files or drawing.reasons
    if settings.model.is_decoder_only and not {Need.TASK, Need.BOTH} & set(needs):
        # It writes a continuation.
        assert "ranslat" not in said(drawing.at)


def test_no_two_views_are_called_the_same_and_none_like_a_page():
    names = [*dict(CASES), *(view.text.label.lower() for view in VIEWS.values())]
    assert sorted(set(names)) == sorted(names)
