import csv
import io

import pytest

from pages.frame.export import as_csv
from pages.frame.tour import AFTER, BEFORE
from pages.quiz import ROUND
from pages.views.tour.questions import questions, results

ASKED = questions()
RIGHT = "".join(str(each.right) for each in ASKED)
WRONG = "".join(str((each.right + 1) % 4) for each in ASKED)
HALF = WRONG[:5] + RIGHT[5:9] + "-"


@pytest.fixture
def open_quiz(open_page):
    return lambda **query: open_page("quiz", model=None, **query)


def scores(at):
    return [each.value for each in at.metric]


def chosen(at, name):
    value = at.query_params.get(name)
    return value[0] if isinstance(value, list) else value


def test_ten_questions_have_four_answers_of_which_one_is_right():
    assert len(ASKED) == 10
    assert all(len({*each.options}) == 4 and each.why for each in ASKED)
    # The right one is not told by its place, nor by its length.
    assert len({each.right for each in ASKED}) == 4
    longest = [max(map(len, each.options)) == len(each.options[each.right]) for each in ASKED]
    assert sum(longest) <= 3


def test_the_questions_come_before_the_tour_and_after_it_and_are_judged_only_then(open_quiz):
    at = open_quiz()
    assert len(at.radio) == 10
    for radio, each in zip(at.radio[:9], ASKED[:9], strict=True):
        radio.set_value(each.right)
    at.button(key=f"{BEFORE}_done").click().run()
    assert chosen(at, BEFORE) == RIGHT[:9] + "-"
    shown = " ".join(each.value for each in at.markdown)
    assert not at.radio and not scores(at) and ASKED[0].why not in shown
    at.button(key="quiz_again").click().run()
    for radio, each in zip(at.radio, ASKED, strict=True):
        radio.set_value(each.right)
    at.button(key=f"{AFTER}_done").click().run()
    assert chosen(at, AFTER) == RIGHT
    assert scores(at) == ["9 of 10", "10 of 10"]
    shown = " ".join(each.value for each in at.markdown)
    assert all(each.why in shown and each.options[each.right] in shown for each in ASKED)
    at.button(key="quiz_forget").click().run()
    assert len(at.radio) == 10


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({BEFORE: HALF, AFTER: RIGHT}, ["4 of 10", "10 of 10"]),
        ({AFTER: WRONG}, ["–", "0 of 10"]),
        ({BEFORE: "²<b>", AFTER: "9" * 30}, ["0 of 10", "0 of 10"]),
        ({ROUND: "after"}, []),
    ],
    ids=["both", "only after", "hostile", "from the end of the tour"],
)
def test_what_the_address_holds_is_scored(open_quiz, query, expected):
    at = open_quiz(**query)
    assert scores(at) == expected
    assert len(at.radio) == (0 if expected else 10)


def test_the_file_holds_each_answer_and_whether_it_is_right_and_no_name():
    text = as_csv(results(ASKED, HALF, RIGHT))
    head, *rows = csv.reader(io.StringIO(text))
    assert head == ["question", "right_answer", "before", "before_is_right"] + [
        "after",
        "after_is_right",
    ]
    assert [row[0] for row in rows] == [each.name for each in ASKED]
    assert [row[3] for row in rows] == list("0000011110")
    assert [row[5] for row in rows] == list("1111111111")
    assert rows[9][2] == ""
    assert all(row[4] == row[1] for row in rows)
