"""What all views of the attention page share: the row of controls."""

import pytest

from pages.attention import VIEWS

NAMES = [view.name for view in VIEWS]
OF_ALL_HEADS = ("word",)


@pytest.mark.parametrize("view", NAMES)
def test_every_view_opens_from_its_link_and_hands_over_what_can_be_taken(open_view, view):
    at, taken = open_view(view)
    assert at.segmented_control(key="view").value == view
    assert taken.name
    assert taken.title
    assert taken.snippet()
    assert len({len(column) for column in taken.columns().values()}) == 1


@pytest.mark.parametrize("view", NAMES)
def test_what_changes_nothing_is_not_asked_for_and_stays_as_it_was(open_view, view):
    at, _ = open_view(view, model="translate", kind="cross", layer="1", head="2")
    keys = {each.key for each in [*at.segmented_control, *at.selectbox]}
    assert ("kind" in keys) == (view != "word")
    assert ("layer" in keys) == ("head" in keys) == (view not in OF_ALL_HEADS)
    at.segmented_control(key="view").set_value("maps").run()
    assert at.segmented_control(key="kind").value == "decoder.cross"
    assert [at.selectbox(key=name).value for name in ("layer", "head")] == [1, 2]


@pytest.mark.parametrize("written", ["9" * 5000, "²", "-1", "1e1", ""])
@pytest.mark.parametrize("view", ["lines", "word"])
def test_what_is_no_position_is_none(open_view, view, written):
    wrong = {"side": "query", "token": written, "query": written, "key": written}
    at, _ = open_view(view, sort="pair", **wrong)
    at.segmented_control(key="unit").set_value("words").run()
    assert not at.exception
    assert "token" not in at.query_params
