import pytest

from tests.pages.views.masks.conftest import OTHERS, panels


@pytest.fixture
def open_masks(open_page):
    return lambda **query_params: open_page("masks", others=OTHERS, **query_params)


@pytest.mark.slow
@pytest.mark.parametrize("view", ["masks", "prefixes", "scores", "without"])
def test_500_words_are_shown(open_masks, view):
    at = open_masks(masks=view, sentence="the cat " * 250, model="copy")
    assert not at.exception
    assert panels(at)
