import pytest

from pages.decoding import VIEWS
from tests.pages.conftest import said
from tests.pages.every_view import query_of

NAMES = ("steps", "tree", "output", "copying", "cost", "exposure", "passes")


def test_the_views_have_the_names_of_their_links():
    assert tuple(view.name for view in VIEWS) == NAMES


@pytest.mark.parametrize("view", NAMES)
def test_every_view_can_be_opened_by_link(open_page, view):
    at = open_page("decoding", **query_of("decoding", view))
    assert at.segmented_control(key="decoding").value == view
    assert "take_csv" in [b.key for b in at.get("download_button")]


def test_a_sentence_without_words_is_asked_for_again(open_page):
    assert "Type a sentence" in said(open_page("decoding", sentence=" "))
