"""What all views of the attention page share: the row of controls."""

import re

import pytest

from core.inspection import inspect_sentence
from core.runs.run import load_run
from pages.attention import VIEWS
from pages.frame import selection


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("bert", r"\d+ tokens · [\d,]+ ms"),
        ("gpt2", r"tokens: \d+ typed → 24 written · [\d,]+ ms"),
        ("marian", r"\d+ → \d+ tokens · [\d,]+ ms"),
    ],
)
def test_tokens_are_counted_on_the_sides_that_there_are(opened_path, kind, size):
    inspection = inspect_sentence(load_run(opened_path(kind)), "The street.")
    assert re.fullmatch(size, selection.size(inspection))


@pytest.mark.parametrize("view", [view.name for view in VIEWS])
def test_what_changes_nothing_is_not_asked_for_and_stays_as_it_was(open_view, view):
    at, _ = open_view(view, model="translate", kind="cross", layer="1", head="2")
    keys = {each.key for each in [*at.segmented_control, *at.selectbox]}
    assert ("kind" in keys) == ("layer" in keys) == ("head" in keys) == (view != "word")
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
