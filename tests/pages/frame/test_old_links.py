"""Links to views that were merged into others."""

import pytest

from pages.frame import links
from pages.frame.old_links import MOVED
from tests.pages.conftest import ROOT
from tests.pages.every_view import CASES, PAGES


def test_a_view_that_has_moved_leads_to_one_that_there_is():
    for moved, link in MOVED.items():
        there, query = links.read(link)
        assert (there, query.get(PAGES[there], "pass")) in CASES, moved
        assert moved not in CASES


def test_every_address_has_a_file_in_which_a_fresh_server_finds_it():
    """Before the app's first run Streamlit knows no others, and shows the first page instead."""
    files = {path.stem for path in (ROOT / "pages").glob("*.py")}
    assert {*links.PAGES, *links.OLDER_PAGES} <= files


@pytest.mark.parametrize(
    ("asked", "how"), [({}, "largest"), ({"how": "mean"}, "mean"), ({"how": "largest"}, "largest")]
)
def test_an_older_link_keeps_what_it_asks_for(open_app, asked, how):
    at = open_app(view="sentence", model="copy", sentence="a b", **asked)
    assert at.segmented_control(key="view").value == "maps"
    assert at.selectbox(key="how").value == how


@pytest.mark.parametrize(
    ("asked", "other"),
    [({}, "sentence"), ({"other": "two models"}, "model")],
)
def test_an_older_link_to_a_comparison_opens_it(open_app, asked, other):
    at = open_app(view="compare", model="copy", sentence="a b", **asked)
    assert at.segmented_control(key="view").value == "maps"
    assert at.selectbox(key="how").value == other


def test_a_link_to_a_view_of_another_page_goes_there_once(open_page, monkeypatch):
    went = []
    monkeypatch.setattr(links, "go", lambda *where: went.append(where))
    at = open_page("attention", view="heads", sentence="I slept.", sort="entropy", model=None)
    assert went == [
        ("heads", {"sentence": ["I slept."], "sort": ["entropy"], "trial": "roles"}),
    ]
    at.run()
    assert len(went) == 1


def test_an_older_link_to_runs_keeps_those_that_it_ticks(open_page, monkeypatch):
    went = []
    monkeypatch.setattr(links, "go", lambda *where: went.append(where))
    open_page("runs", runs=["copy", "translate"], model=None)
    assert went == [("training", {"runs": ["copy", "translate"], "training": "runs"})]


def test_an_older_link_to_distances_and_layers_shows_them(open_page):
    at = open_page("experiments", experiment="distance", outcome="distances", model=None)
    assert at.segmented_control(key="lengths_by").value == "distance"
    at = open_page("experiments", experiment="depth", outcome="layers", model=None)
    assert at.segmented_control(key="learning_by").value == "layer"
