from pages.frame import links
from pages.heads import VIEWS


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
