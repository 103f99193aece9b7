"""A lesson asks for a sentence where it shows one, and only there."""

import pytest

from pages import layers, masks, positions, scaling

LESSONS = {"masks": masks, "positions": positions, "scaling": scaling, "layers": layers}
FIRST = {
    name: min(view.name for view in page.VIEWS if view.of_sentence)
    for name, page in LESSONS.items()
}
"""Lesson → a view of it that shows a sentence."""
OF_NONE = [
    (name, view.name)
    for name, page in LESSONS.items()
    for view in page.VIEWS
    if not view.of_sentence
]


@pytest.mark.parametrize("sentence", ["", "   "])
def test_without_a_sentence_a_lesson_asks_for_one(open_page, sentence):
    lesson = "masks"
    at = open_page(lesson, sentence="a", **{lesson: FIRST[lesson]})
    at.text_input(key="sentence").set_value(sentence).run()
    assert not at.exception
    assert "Type a sentence" in at.info[0].value


@pytest.mark.parametrize(("lesson", "view"), OF_NONE[:1])
def test_a_view_that_no_sentence_changes_asks_for_none(open_page, lesson, view):
    at = open_page(lesson, sentence="The cat slept.", **{lesson: view})
    assert [each.key for each in at.text_input if each.key == "sentence"] == []
    # What was typed stays, for the views that show it.
    at.segmented_control(key=lesson).set_value(FIRST[lesson]).run()
    assert at.text_input(key="sentence").value == "The cat slept."


@pytest.mark.parametrize(("lesson", "view"), OF_NONE[:1])
def test_a_sentence_is_asked_for_where_there_is_none_at_all(open_page, lesson, view):
    at = open_page(lesson, sentence=" ", **{lesson: view})
    assert at.text_input(key="sentence").value == " "


def test_a_sentence_of_unknown_words_is_announced(open_page):
    lesson = "layers"
    at = open_page(lesson, sentence="Xyzzy plugh.", **{lesson: FIRST[lesson]})
    assert any("were never seen in training" in caption.value for caption in at.caption)
