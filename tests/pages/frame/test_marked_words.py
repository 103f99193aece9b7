from types import SimpleNamespace

import pytest

from core.decoding.marked_words import WrittenWord
from core.vocabulary import Span
from pages.frame import marked_words
from pages.frame.typography import marked
from viz.component.payload import Doubt

SURE, UNSURE = WrittenWord(Span(0, 2), 0.9), WrittenWord(Span(3, 7), 0.31)
UNSEEN = WrittenWord(Span(0, 2), 0.8, "thorns")
SECOND = WrittenWord(Span(3, 7), 0.31, second="part", second_probability=0.25)


@pytest.mark.parametrize(
    ("word", "explanations"),
    [
        (SURE, []),
        (UNSURE, ["dort: 31\xa0% – the model is unsure here."]),
        (UNSEEN, ["il: 80\xa0%. It looked most at “thorns”, which training never saw."]),
        (
            SECOND,
            [
                "dort: 31\xa0% – the model is unsure here. "
                "Where it was least sure, “part” came second: 25\xa0%."
            ],
        ),
    ],
)
def test_a_marked_word_says_its_number_and_why(word, explanations):
    translation = SimpleNamespace(text="il dort")
    found = marked_words.of(SimpleNamespace(translation=translation, written=[word]))
    assert [each.explanation for each in found] == explanations


def test_the_legend_explains_the_marks_that_there_are():
    assert marked_words.legend([SURE]) == ""
    dashed, dotted = marked_words.legend([UNSURE, UNSEEN]).split(" · ")
    assert "below 40\xa0%" in dashed
    assert dotted == "dotted: from a word that training never saw"


def test_what_a_text_holds_stays_text():
    shown = marked_words.in_markdown('<b> *"x"*', [Doubt(4, 9, '<i>"x"</i>')])
    assert "<b>" not in shown and "<i>" not in shown and "*" not in shown
    assert 'tabindex="0"' in shown and 'aria-label="&lt;i&gt;&quot;x&quot;&lt;/i&gt;"' in shown


def test_words_that_differ_are_bold_and_keep_their_marks():
    one, other = marked("il dort", "elle dort", ([Doubt(3, 7, "unsure")], ()))
    assert one.startswith("**il** <span") and other == "**elle** dort"
