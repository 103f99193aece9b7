"""The page Lessons: a sentence is asked for where it changes something, and only there."""

import pytest

from pages.lessons import VIEWS

OF_NONE = [view.name for view in VIEWS if not view.of_sentence]


@pytest.mark.parametrize("view", OF_NONE)
def test_a_lesson_that_no_sentence_changes_asks_for_none(open_page, view):
    at = open_page("lessons", lessons=view, sentence="The cat slept.", model="copy")
    assert not [each for each in at.text_input if each.key == "sentence"]
    # What was typed stays, for the lessons that show it.
    at.segmented_control(key="lessons").set_value("layers").run()
    assert at.text_input(key="sentence").value == "The cat slept."
