"""Texts that would be markup if anybody took them for some are shown as texts, wherever they are.

What the components draw of them, and what runs in a browser, is tested in tests/browser.
"""

import json
import re
import shutil
import unicodedata

import pytest

from core.runs.run import NOTICE
from pages.frame import cached, tour_file, view
from pages.frame.files import as_csv
from tests.pages.conftest import ROOT, UNLISTED
from tests.pages.every_view import CASES, query_of
from tests.pages.sent import SHOWN_AS_THEY_ARE, sent

HOSTILE = (
    "The <img src=x onerror=alert(1)> [x](javascript:alert(2)) $$z$$ :red[y] **bold** "
    "![i](http://elsewhere.example/x.png) <script>alert(3)</script> &lt; :smile: it </s> שלום سلام."
)
MARKS = (
    *("<img src=x", "<script>alert", "</s>", "](javascript", "](http"),
    *("$$z", ":red[y", "**bold", "&lt; :", ":smile:"),
)
IN_A_NAME = "<img src=x onerror=alert(1)> ](javascript:alert(2)) $$z$$ :red[y] **bold** :smile:"


def taken_for_markup(at):
    """Return what of the hostile texts would not be shown as it is."""
    found = [(kind, text) for kind, text in sent(at) if kind not in SHOWN_AS_THEY_ARE]
    return [(kind, mark) for kind, text in found for mark in MARKS if mark in text]


def left_bare(at):
    """Return the texts in which words that run from right to left could move their neighbours."""
    isolate = re.compile("\u2068[^\u2068\u2069]*\u2069")
    found = []
    for kind, text in sent(at):
        # In HTML each word has an element of its own; a column holds no text.
        if kind in {*SHOWN_AS_THEY_ARE, "html", "column"}:
            continue
        while isolate.search(text):
            text = isolate.sub("", text)
        if {"R", "AL"} & set(map(unicodedata.bidirectional, text)):
            found.append((kind, text))
    return found


@pytest.mark.parametrize(("page", "name"), CASES)
def test_a_sentence_is_no_markup_in_any_view_nor_in_its_files(
    open_page, taken, monkeypatch, page, name
):
    typed = dict.fromkeys(("sentence", "other_sentence", "reference", "others"), HOSTILE)
    at = open_page(page, **typed | {"unit": "words"} | query_of(page, name) | typed)
    assert not at.get("exception")
    assert taken_for_markup(at) == []
    assert left_bare(at) == []
    for shown in taken:
        assert "\u2068" not in shown.snippet() + as_csv(shown.columns())
        written = view.page(shown, {"sentence": HOSTILE})
        assert [mark for mark in ("<img src=x", "<script>alert") if mark in written] == []


@pytest.fixture
def named_badly(own_runs, elsewhere):
    """A run of one's own whose folder, texts and figures were made to do harm."""
    run = shutil.copytree(ROOT / "gallery" / "copy", own_runs / IN_A_NAME, ignore=UNLISTED)
    said = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(said | {"command": HOSTILE, "origin": HOSTILE}))
    (run / NOTICE).write_text(HOSTILE)
    (run / "status.json").write_text(json.dumps({"state": "failed", "step": 3, "message": HOSTILE}))
    return run


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("attention", {}),
        ("heads", {"trial": "silence"}),
        ("decoding", {}),
        ("training", {"training": "watch"}),
        ("training", {"training": "look_back"}),
        ("runs", {}),
        ("runs", {"runs": f"runs/{IN_A_NAME}"}),
        ("runs", {"runs": [f"runs/{IN_A_NAME}", "copy"]}),
    ],
)
def test_names_and_texts_of_a_run_are_no_markup(named_badly, open_page, page, query):
    at = open_page(page, **{"model": cached.name_of(named_badly)} | query)
    assert taken_for_markup(at) == []


@pytest.mark.parametrize("name", ["model", "runs", "tour", "experiment", "lang", "view", "kind"])
def test_what_an_address_names_is_no_markup(open_app, name):
    at = open_app(**{name: HOSTILE})
    assert taken_for_markup(at) == []


def test_a_tour_of_a_stranger_leads_nowhere_else_and_fetches_nothing(
    open_app, tmp_path, monkeypatch
):
    monkeypatch.setattr(tour_file, "TOURS", tmp_path)
    texts = "".join(f"{part} = {json.dumps(HOSTILE)}\n" for part in ("title", "text", "question"))
    (tmp_path / "gift.toml").write_text(f'[[stop]]\nlink = "/?view=maps"\n{texts}task = "x"\n')
    at = open_app(tour="gift")
    found = {mark for _, mark in taken_for_markup(at)}
    # Its Markdown may be bold, but leads nowhere.
    assert not {mark for mark in found if "<" in mark or "]" in mark}
