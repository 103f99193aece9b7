from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.decoding.marked_words import WrittenWord
from core.vocabulary import Span
from pages.frame import typography
from pages.frame.typography import LONG, Doubt, in_french, marked, typeset_target


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("L'animal n'a pas dormi.", "L’animal n’a pas dormi."),
        ("Attends ! Un chat : noir ?", "Attends\u202f! Un chat\u202f: noir\u202f?"),
        ("Il a dit « non » .", "Il a dit «\u202fnon\u202f» ."),
        # A quote is no apostrophe.
        ("'non'", "'non'"),
    ],
)
def test_french_is_set_as_it_is_printed_and_other_languages_are_not(typed, printed):
    assert in_french(typed) == typeset_target(typed, "everyday") == printed
    assert typeset_target(typed, "copy") == typed


@given(st.text())
def test_no_letter_is_lost_and_setting_it_again_changes_nothing(text):
    once = in_french(text)
    assert in_french(once) == once
    assert len(once) == len(text)


@pytest.mark.parametrize(
    ("first", "second", "bold"),
    [
        ("il était grand", "elle était là", "**il** était **grand**"),
        ("", "non", "–"),
        ("白猫睡了。", "黑狗睡了。", "**白猫**睡了。"),
        ("แมวขาว", "แมวดำ", "แมว**ขาว**"),
        ("猫。", "猫！", "猫。"),
        ("می\u200cخواهم بروم.", "می\u200cخواهم بمانم.", "\u2068می\u200cخواهم **بروم&#46;**\u2069"),
    ],
)
def test_words_that_differ_are_bold_and_characters_where_there_are_no_spaces(first, second, bold):
    assert marked(first, second)[0] == bold


SURE, UNSURE = WrittenWord(Span(0, 2), 0.9), WrittenWord(Span(3, 7), 0.31)
UNSEEN = WrittenWord(Span(0, 2), 0.8, "thorns")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (SURE, []),
        (UNSURE, ["dort: 31\xa0% – the model is unsure here."]),
        (UNSEEN, ["il: 80\xa0%. It looked most at “thorns”, which training never saw."]),
    ],
)
def test_a_marked_word_says_its_number_and_why(word, said):
    translation = SimpleNamespace(text="il dort")
    found = typography.doubtful_words(SimpleNamespace(translation=translation, written=[word]))
    assert [each.explanation for each in found] == said


def test_what_a_text_holds_stays_text():
    shown = typography.in_markdown('<b> *"x"*', [Doubt(4, 9, '<i>"x"</i>')])
    assert "<b>" not in shown and "<i>" not in shown and "*" not in shown
    assert 'tabindex="0"' in shown and 'aria-label="&lt;i&gt;&quot;x&quot;&lt;/i&gt;"' in shown


def _page(translations):
    from pages.frame.typography import show_translations

    show_translations(translations)


@pytest.mark.parametrize("is_long", [False, True])
def test_only_a_long_text_is_folded_so_that_the_picture_stays_in_sight(is_long):
    text = "<i>" + "x" * (LONG + is_long) + "</i>"
    at = AppTest.from_function(_page, args=(text,)).run()
    [shown] = at.expander[0].markdown if is_long else at.markdown
    assert shown.value == text
    assert len(at.expander) == is_long
