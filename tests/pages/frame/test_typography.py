import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs.run import load_run
from pages.frame.typography import in_french, marked, typeset, typeset_target
from tests.pages.conftest import ROOT


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("L'animal n'a pas dormi.", "L’animal n’a pas dormi."),
        ("Qui a dormi ?", "Qui a dormi\u202f?"),
        ("Attends ! Un chat : gris ; noir.", "Attends\u202f! Un chat\u202f: gris\u202f; noir."),
        ("Il a dit « non » .", "Il a dit «\u202fnon\u202f» ."),
        # A quote is no apostrophe.
        ("'non'", "'non'"),
        ("", ""),
    ],
)
def test_french_is_set_as_it_is_printed(typed, printed):
    assert in_french(typed) == printed


@given(st.text())
def test_no_letter_is_lost_and_setting_it_again_changes_nothing(text):
    once = in_french(text)
    assert in_french(once) == once
    assert len(once) == len(text)


@pytest.mark.parametrize(("name", "text"), [("translate", "L’ami\u202f?"), ("copy", "L'ami ?")])
def test_only_what_is_known_to_be_french_is_set(name, text):
    assert typeset("L'ami ?", load_run(ROOT / "gallery" / name)) == text


@pytest.mark.parametrize(
    ("first", "second", "bold"),
    [
        ("白猫睡了。", "黑狗睡了。", "**白猫**睡了。"),
        ("แมวขาว", "แมวดำ", "แมว**ขาว**"),
        ("猫。", "猫！", "猫。"),
        ("می\u200cخواهم بروم.", "می\u200cخواهم بمانم.", "\u2068می\u200cخواهم **بروم&#46;**\u2069"),
    ],
)
def test_characters_that_differ_are_bold_where_there_are_no_spaces(first, second, bold):
    assert marked(first, second)[0] == bold


def test_words_that_differ_are_bold():
    assert marked("il était grand", "elle était là") == (
        "**il** était **grand**",
        "**elle** était **là**",
    )
    assert marked("", "non") == ("–", "**non**")


def test_targets_are_set_by_the_task_that_they_are_of():
    assert typeset_target("Qui ?", "everyday") == "Qui\u202f?"
    assert typeset_target("a ? b", "copy") == "a ? b"
