import html

from pages.views.heads import translations


def test_words_that_differ_are_bold_and_signs_stay_signs():
    one, other = translations.marked("il *dort* bien", "elle *dort* bien")
    assert html.unescape(one) == "**il** *dort* bien"
    assert html.unescape(other) == "**elle** *dort* bien"
    assert "*dort*" not in one


def test_of_an_empty_text_there_is_a_dash():
    assert translations.marked("", "il") == ("–", "**il**")
