"""The page Lessons: a sentence is asked for where it changes something, and only there."""

from pages.lessons import VIEWS

OF_NONE = [view.name for view in VIEWS if not view.of_sentence]


def test_a_lesson_that_no_sentence_changes_asks_for_none(open_page):
    first, *others = OF_NONE
    at = open_page("lessons", lessons=first, sentence="The cat slept.", model="copy")
    assert not [each for each in at.text_input if each.key == "sentence"]
    for view in others:
        at.segmented_control(key="lessons").set_value(view).run()
        assert not [each for each in at.text_input if each.key == "sentence"], view
    # What was typed stays, for the lessons that show it.
    at.segmented_control(key="lessons").set_value("layers").run()
    assert at.text_input(key="sentence").value == "The cat slept."
