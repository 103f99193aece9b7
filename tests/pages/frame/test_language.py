import re
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from pages.frame import language
from pages.frame.language import percent
from pages.locales import catalogues

SAID = {
    "Attention": "Aufmerksamkeit",
    ("{n} head", "{n} heads"): ("{n} Kopf", "{n} Köpfe"),
    "{n}\u00a0s": "{n}\u00a0Sek.",
}


@given(st.floats(0, 1))
@example(0.9995)
@example(0.99995)
@example(0.9999999)
@example(0.0004)
def test_only_what_is_exactly_so_is_called_all_or_nothing(share):
    assert (percent(share) == "0\u00a0%") == (100 * share == 0)
    assert (percent(share) == "100\u00a0%") == (100 * share == 100)


@pytest.fixture
def german(tmp_path, monkeypatch):
    """A catalogue in German, and one in the language of a region, the only ones there are."""
    for name in ("de", "zh_CN"):
        catalogues.begin(tmp_path, name)
    for name, said in (("de", SAID), ("zh_CN", {"Attention": "注意力"})):
        file = tmp_path / name / "LC_MESSAGES" / "app.po"
        catalogue = catalogues.read(file)
        for text, translation in said.items():
            catalogue.add(text, translation)
        catalogues.compile_texts(file.with_suffix(".mo"), catalogue)
    monkeypatch.setattr(language, "LOCALES", tmp_path)


def _page():
    import streamlit as st

    from pages.frame import language, session
    from pages.frame.language import _, duration, n_, number, percent

    session.enter("page")
    language.enter()
    st.text(_("Attention"))
    st.text(_("Not in any catalogue"))
    st.text(" ".join(n_("{n} head", "{n} heads", n).format(n=number(n)) for n in (1, 2000)))
    st.text(f"{number(0.5)} {percent(0.975)} {duration(5)}")
    st.text(language.tag())
    st.button("Deutsch", on_click=language.choose, args=("de",))
    session.write()


def opened(**query_params):
    at = AppTest.from_function(_page)
    at.query_params.update(query_params)
    return at.run()


def said(at):
    assert not at.exception, at.exception
    return [text.value for text in at.text]


NEITHER = "Not in any catalogue"
IN_ENGLISH = ["Attention", NEITHER, "1 head 2,000 heads", "0.500 97.5\u00a0% 5\u00a0s", "en"]
IN_GERMAN = ["Aufmerksamkeit", NEITHER, "1 Kopf 2.000 Köpfe", "0,500 97,5\u00a0% 5\u00a0Sek.", "de"]


def test_a_link_asks_for_a_language_and_what_the_catalogue_lacks_is_english(german):
    assert said(opened()) == IN_ENGLISH
    assert said(opened(lang="de")) == IN_GERMAN


@pytest.mark.parametrize("asked", ["zh-CN", "zh_cn", "zh", "zh-TW"])
def test_a_language_is_found_by_what_browsers_call_it(german, asked):
    at = opened(lang=asked)
    assert said(at)[0] == "注意力"
    assert said(at)[-1] == "zh-CN"
    assert "97.5%" in said(at)[3]


def test_the_language_stays_where_a_link_within_the_app_does_not_name_it(german):
    at = opened(lang="de")
    del at.query_params["lang"]
    assert said(at.run()) == IN_GERMAN


def test_a_chosen_language_is_shown_at_once_and_named_by_the_address(german):
    at = opened(lang="en")
    at.button[0].click().run()
    assert said(at) == IN_GERMAN
    assert at.query_params["lang"] in ("de", ["de"])


def test_the_browser_says_which_language_is_read(german, monkeypatch):
    monkeypatch.setattr(ContextProxy, "locale", "de-AT")
    assert said(opened()) == IN_GERMAN
    assert said(opened(lang="en")) == IN_ENGLISH


def test_what_is_made_after_a_run_is_in_the_language_of_the_run(german, monkeypatch):
    with monkeypatch.context() as within:
        within.setattr(language, "visitor", lambda: "de")
        made = language.in_this_language(lambda: f"{language._('Attention')} {language.tag()}")
    assert made() == "Aufmerksamkeit de"
    assert language.visitor() == "en"


def test_threads_know_the_language_of_their_own_run_alone(german, monkeypatch):
    runs = threading.local()
    monkeypatch.setattr(language, "current_run", lambda: runs.run)
    monkeypatch.setattr(language, "_asked_for", lambda: runs.asked)
    all_there = threading.Barrier(4)

    def read(asked):
        runs.run, runs.asked = SimpleNamespace(query_string=""), asked
        all_there.wait()
        return [language._("Attention") for _ in range(50)]

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(read, ["de", "en"] * 2))
    assert found == [["Aufmerksamkeit"] * 50, ["Attention"] * 50] * 2


@given(st.floats(-999, 999).filter(lambda x: x == 0 or abs(x) > 1e-9))
def test_a_brief_number_has_five_characters_at_most_and_is_right(score):
    text = language.brief(score)
    assert len(text) <= 5
    read = Decimal(text.replace("−", "-"))
    # Half a unit of the last digit that is written.
    assert float(read) == pytest.approx(score, abs=0.501 * 10.0 ** read.as_tuple().exponent)


def test_a_token_in_any_text_leaves_the_signs_around_it_in_their_places():
    file = language.LOCALES / "zh_CN" / "LC_MESSAGES" / "app.po"
    texts = [each.id for each in catalogues.read(file) if isinstance(each.id, str)]
    name = re.compile(r"(?<!\{)\{\w+\}(?!\})")
    texts = [text for text in texts if name.search(text) and "{{" not in text]
    assert len(texts) > 500
    for token in ("سلام", "می‌خواهم", "(שלום", "ר.", "٣", "\u202eit"):
        for text in texts:
            values = dict.fromkeys((part[1:-1] for part in name.findall(text)), token)
            isolated = name.sub(f"\u2068{token}\u2069", text)
            assert language._(text).format(**values) == isolated
