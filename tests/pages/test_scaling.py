import pytest

from tests.pages.conftest import said
from tests.pages.views.scaling.conftest import open_scaling as open_scaling


@pytest.mark.parametrize("view", ["variance", "heads"])
def test_without_a_sentence_the_page_says_so(open_scaling, view):
    at = open_scaling(scaling=view)
    at.text_input(key="sentence").set_value("").run()
    assert not at.exception
    assert "Type a sentence" in said(at)
