import pytest

from tests.pages.views.masks.conftest import OTHERS, panels


@pytest.fixture
def open_masks(open_page):
    return lambda **query_params: open_page("masks", others=OTHERS, **query_params)


@pytest.mark.parametrize("view", ["masks", "prefixes", "scores", "without"])
@pytest.mark.parametrize("sentence", ["a", "the cat " * 250], ids=["one word", "500 words"])
def test_short_and_long_sentences_are_shown(open_masks, view, sentence):
    at = open_masks(masks=view, sentence=sentence, model="copy")
    assert not at.exception
    assert panels(at)
