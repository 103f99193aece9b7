import pytest

from pages.frame import links
from pages.heads import VIEWS
from tests.pages.conftest import said


@pytest.mark.parametrize("name", [each.name for each in VIEWS])
def test_every_view_opens_from_a_link_and_says_what_is_to_be_seen(open_page, name):
    at = open_page("heads", trial=name, model="copy", sentence="a b c")
    assert at.segmented_control(key="trial").value == name
    [chosen] = [each for each in VIEWS if each.name == name]
    assert chosen.text.question in said(at)


def test_a_view_that_there_is_not_falls_back_to_the_first(open_page):
    at = open_page("heads", trial="nothing", model="copy", sentence="a b c")
    assert at.segmented_control(key="trial").value == VIEWS[0].name


def test_a_link_to_a_view_that_has_moved_goes_there_once(open_page, monkeypatch):
    went = []
    monkeypatch.setattr(links, "go", lambda *where: went.append(where))
    at = open_page("heads", trial="guided", sentence="I slept.")
    query = {"view": "compare", "other": "models", "model": "translate-guided"}
    assert went == [("", {"sentence": "I slept.", **query})]
    at.run()
    assert len(went) == 1
