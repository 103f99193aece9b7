"""Texts that would be markup if anybody took them for some are shown as texts, wherever they are.

Sentences are tested with each view; what the components draw of them, and what runs in a browser,
in tests/browser.
"""

import json
import shutil

import pytest

from core.runs.files import NOTICE
from pages.frame import cached, tour
from tests.pages.conftest import ROOT
from tests.pages.drawing import HOSTILE, taken_for_markup

IN_A_NAME = "<img src=x onerror=alert(1)> ](javascript:alert(2)) $$z$$ :red[y] **bold** :smile:"


@pytest.fixture
def named_badly(own_runs, elsewhere):
    """A run of one's own whose folder, texts and figures were made to do harm."""
    run = shutil.copytree(ROOT / "gallery" / "copy", own_runs / IN_A_NAME)
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
        ("training", {"training": "runs"}),
        ("training", {"training": "runs", "runs": f"runs/{IN_A_NAME}"}),
        ("training", {"training": "runs", "runs": [f"runs/{IN_A_NAME}", "copy"]}),
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
    monkeypatch.setattr(tour, "TOURS", tmp_path)
    texts = "".join(f"{part} = {json.dumps(HOSTILE)}\n" for part in ("title", "text", "question"))
    (tmp_path / "gift.toml").write_text(f'[[stop]]\nlink = "/?view=maps"\n{texts}task = "x"\n')
    at = open_app(tour="gift")
    found = {mark for _, mark in taken_for_markup(at)}
    # Its Markdown may be bold, but leads nowhere.
    assert not {mark for mark in found if "<" in mark or "]" in mark}
