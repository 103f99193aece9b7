import pytest

from tests.pages.every_view import CASES


@pytest.mark.slow
@pytest.mark.parametrize("view", [name for page, name in CASES if page == "layers"])
def test_500_words_are_shown(open_page, view):
    open_page("layers", layers=view, sentence="the cat " * 250, model="copy")
