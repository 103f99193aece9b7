import html
import re

import pytest

from tests.pages.conftest import said
from tests.pages.views.attention.conftest import seen
from tests.pages.views.attention.test_compare import TIRED, WIDE, panels, texts


@pytest.fixture
def open_compare(open_view):
    """Return a function that opens the view, and gives the page, its `Shown` and its panels."""

    def opener(**query_params):
        at, taken = open_view("compare", **query_params)
        return at, taken, panels(at)

    return opener


def test_it_looks_at_the_street_instead_of_the_animal(open_compare):
    at, _, (first, second, between) = open_compare()
    assert at.text_input(key="other_sentence").value == WIDE
    assert "“it” looks 1.00 more at “street” and 1.00 less at “animal”." in said(at)
    assert "Differs: **tired | wide**." in said(at)
    assert "L’animal n’a pas traversé la rue parce **qu’elle** était trop" in said(at)
    row = texts(between.rows).index("it")
    found = dict(zip(texts(between.columns), between.values[row], strict=True))
    assert found["street"] > 0.95
    assert found["animal"] < -0.95
    assert first.title == "Encoder layer 2, self-attention head 0: first sentence"
    assert second.title == "Encoder layer 2, self-attention head 0: second sentence"
    assert between.title == "Encoder layer 2, self-attention head 0: second − first"


def test_where_a_pronoun_looks_most_is_said_of_both_models(open_compare):
    at, _, shown = open_compare(other="two models", sentence=WIDE)
    row = texts(shown[0].rows).index("it")
    weights = [float(panel.values[row].max()) for panel in shown[:2]]
    keys = [texts(panel.columns)[panel.values[row].argmax()] for panel in shown[:2]]
    assert keys[0] == "street"
    assert seen(at).startswith(
        f"“it” looks most at **street** ({weights[0]:.2f}) in translate-guided, "
        f"at **{keys[1]}** ({weights[1]:.2f}) in translate. "
    )
    for without in ({"sentence": "The goat slept."}, {"kind": "cross"}, {"other": "sentences"}):
        at, _, _ = open_compare(**{"other": "models", "sentence": WIDE, **without})
        assert "looks most at" not in seen(at)


def test_what_has_no_counterpart_is_left_out_and_said_so(open_compare):
    at, _, (first, second, between) = open_compare(
        other_sentence=TIRED.replace("animal", "old brown animal").replace("too ", "")
    )
    assert "**– | old brown**, **too | –**" in said(at)
    assert "1 token of the first sentence has no counterpart." in between.note
    alone = set(second.columns.links) - set(between.columns.links)
    left = [
        text
        for text, link in zip(texts(second.rows), second.rows.links, strict=True)
        if link in alone
    ]
    assert "".join(left) == "oldbrown"
    assert f"{len(left)} tokens of the second sentence have no counterpart." in between.note
    assert not alone & set(first.columns.links)
    assert texts(between.rows) == [text for text in texts(first.rows) if text != "too"]


def test_what_differs_is_named_once_and_not_without_end(open_compare):
    at, _, _ = open_compare(model="copy", sentence="a b a b c", other_sentence="a d a d c")
    assert "Differs: **b | d**." in said(at)
    at, _, _ = open_compare(
        model="copy",
        sentence=" x ".join("abcdefgh"),
        other_sentence=" x ".join("stuvwyzr"),
    )
    assert "**f | y**, and 2 more." in said(at)


def test_left_out_words_are_called_words(open_compare):
    at, _, (_, _, between) = open_compare(
        unit="whole words",
        kind="encoder self",
        other_sentence=TIRED.replace("animal", "old brown animal"),
    )
    assert "2 words of the second sentence have no counterpart." in between.note
    at.text_input(key="other_sentence").set_value(TIRED.replace("too ", "")).run()
    assert "1 word of the first sentence has no counterpart." in panels(at)[2].note
    at.text_input(key="other_sentence").set_value(TIRED).run()
    assert "The words are the same." in said(at)


def test_sentences_that_have_little_in_common_are_not_written_out_word_by_word(open_compare):
    at, _, _ = open_compare(
        kind="encoder self",
        sentence="One two three four five six seven eight nine ten eleven.",
        other_sentence="Why?",
    )
    assert "Differs: **One two three four five six seven eight … | Why ?**." in html.unescape(
        said(at)
    )


def test_a_sentence_about_a_full_stop_has_no_second_one(open_compare):
    at, _, _ = open_compare(
        kind="encoder self", sentence="It was wide!", other_sentence="It was wide."
    )
    assert "Differs: **! | .**" in html.unescape(said(at))
    assert ".**." not in html.unescape(said(at))


def test_of_words_that_stand_there_twice_the_position_is_said(open_compare):
    at, _, _ = open_compare(
        model="copy",
        sentence="a b a b c",
        other_sentence="a b a d c",
        kind="encoder self",
        layer="0",
        head="0",
    )
    assert re.search(r"“[ab]” \(position \d\)", said(at))


def test_equal_sentences_differ_nowhere(open_compare):
    at, _, (_, _, between) = open_compare(other_sentence=TIRED)
    assert not between.values.any()
    assert "No weight differs. The tokens are the same." in said(at)
