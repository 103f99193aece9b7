from pages.decoding import VIEWS
from tests.pages.conftest import said


def test_the_views_have_the_names_of_their_links():
    assert tuple(view.name for view in VIEWS) == ("steps", "tree", "cost")


def test_a_sentence_without_words_is_asked_for_again(open_page):
    assert "Type a sentence" in said(open_page("decoding", sentence=" "))
