import pytest

from tests.pages.conftest import said
from tests.pages.views.scaling.conftest import open_scaling as open_scaling

VIEWS = ["softmax", "variance", "jacobian", "gradient", "heads"]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_by_link_with_formula_and_code(open_scaling, view):
    at = open_scaling(scaling=view)
    assert at.segmented_control(key="scaling").value == view
    assert len(at.get("vega_lite_chart")) >= 1
    assert len(at.get("download_button")) >= 1
    assert [folded.label for folded in at.expander] == [
        "As a table",
        "What to try",
        "Formula",
        "Code that computes it",
    ]
    assert not at.error


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_can_be_chosen(open_scaling, view):
    at = open_scaling()
    at.segmented_control(key="scaling").set_value(view).run()
    assert not at.exception
    assert at.get("vega_lite_chart")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("sentence", ["a", "😀 <b> $x$", "a b c d e " * 60])
def test_every_view_takes_any_sentence(open_scaling, view, sentence):
    at = open_scaling(scaling=view, model="copy", sentence=sentence)
    assert at.get("vega_lite_chart")


@pytest.mark.parametrize("view", ["variance", "heads"])
def test_without_a_sentence_the_page_says_so(open_scaling, view):
    at = open_scaling(scaling=view)
    at.text_input(key="sentence").set_value("").run()
    assert not at.exception
    assert "Type a sentence" in said(at)
