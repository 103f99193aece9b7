import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.frame import typography
from pages.frame.typography import Doubt, in_french, marked, typeset_target


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


def test_what_a_text_holds_stays_text():
    shown = typography.in_markdown('<b> *"x"*', [Doubt(4, 9, '<i>"x"</i>')])
    assert "<b>" not in shown and "<i>" not in shown and "*" not in shown
    assert 'tabindex="0"' in shown and 'aria-label="&lt;i&gt;&quot;x&quot;&lt;/i&gt;"' in shown
