import re

from viz.charts.mixed_rows import MixedRow, mixed_rows

FIRST, SECOND = ["a", "b", "c"], ["c", "b", "a"]


def classes(words):
    drawn = mixed_rows([MixedRow(name="written", words=words)], FIRST, SECOND)
    return re.findall(r'<span dir="auto" class="word ?(\w*)">', drawn)


def test_a_word_has_the_colour_of_the_row_that_alone_has_it_at_its_place():
    assert classes(["a", "b", "a"]) == ["first", "", "second"]
    assert classes(["x", "b", "c", "c"]) == ["", "", "first", ""]


def test_what_is_drawn_is_said_and_no_text_becomes_an_element():
    row = MixedRow(name="<b>", words=["<i>"], verdict="wrong & mixed")
    drawn = mixed_rows([row], FIRST, SECOND)
    assert 'aria-label="&lt;b&gt;: &lt;i&gt; wrong &amp; mixed"' in drawn
    assert "<b>" not in drawn and "<i>" not in drawn
