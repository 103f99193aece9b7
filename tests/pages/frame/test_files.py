import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.frame.files import as_csv, as_json, stem
from tests.pages.views.attention.conftest import from_csv

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
FLOATS = st.floats(width=32, allow_nan=False)


@given(texts=st.lists(TEXTS, min_size=1), name=TEXTS)
def test_any_text_is_read_from_csv_as_it_was(texts, name):
    assert from_csv(as_csv({name: texts})) == {name: texts}


@given(numbers=st.lists(FLOATS, min_size=1))
def test_any_number_is_read_from_csv_and_json_as_it_was(numbers):
    written = np.array(numbers, np.float32).tolist()
    [read] = from_csv(as_csv({"weight": written})).values()
    assert [float(text) for text in read] == written
    assert np.array(read, np.float32).tolist() == written
    finite = [number if math.isfinite(number) else None for number in written]
    assert json.loads(as_json({}, {"weight": written}))["columns"]["weight"] == finite


def test_signs_that_begin_a_formula_are_guarded_and_nothing_else():
    texts = ["=1+1", "+1", "-1", "@SUM", "'s", "n't", "l'", "1", "<b>", ""]
    lines = as_csv({"token": texts, "weight": [-0.5] * len(texts)}).splitlines()[1:]
    guarded = ["'=1+1", "'+1", "'-1", "'@SUM", "''s", "n't", "l'", "1", "<b>", ""]
    assert lines == [f'"{text}",-0.5' for text in guarded]


@given(text=TEXTS, sign=st.sampled_from("=+-@\t\r\n"))
def test_no_text_of_a_csv_file_is_a_formula(text, sign):
    assert as_csv({"token": [sign + text]}).startswith(f'"token"\n"\'{sign}')


def test_quotes_commas_and_lines_are_quoted():
    assert as_csv({"a": ['say "hi"', "a,b", "a\nb"]}) == '"a"\n"say ""hi"""\n"a,b"\n"a\nb"\n'


def test_truth_whole_numbers_and_numbers_of_numpy_are_written_plainly():
    weights = np.float32([0.1, 0.2])
    columns = {"visible": [True, False], "query": [0, 1], "weight": weights}
    first, second = weights.tolist()
    assert as_csv(columns) == (
        f'"visible","query","weight"\nTrue,0,{first!r}\nFalse,1,{second!r}\n'
    )
    read = json.loads(as_json({"title": "é"}, columns))
    assert read["title"] == "é"
    assert read["columns"] == {"visible": [True, False], "query": [0, 1], "weight": [first, second]}


def test_no_rows_are_a_file_too():
    assert from_csv(as_csv({"a": [], "b": []})) == {"a": [], "b": []}


def test_what_json_cannot_say_is_null():
    assert json.loads(as_json({}, {"x": [math.inf, -math.inf, math.nan]}))["columns"] == {
        "x": [None, None, None]
    }


@pytest.mark.parametrize(
    ("sentence", "begins"),
    [
        ("من می\u200cخواهم.", "من-می\u200cخواهم-"),
        ("हिन्दी में", "हिन्दी-में-"),
        ("👩\u200d❤\ufe0f\u200d👨 hi", "hi-"),
        ("न\u0940" * 25, "न\u0940" * 24 + "-"),
    ],
)
def test_the_name_of_a_file_keeps_words_and_characters_whole(sentence, begins):
    assert stem({"sentence": sentence}) == begins
