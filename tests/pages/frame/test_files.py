import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.frame.export import as_csv, as_json, stem
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


SENTENCES = [
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
    *("The animal did not cross.", "The animal did not cross?", "CON", "..", "a\tb\n"),
    *("می‌خواهم بروم", "नमस्ते दुनिया", "老师昨天看见白色的猫。", "👩‍❤️‍👨", "🇫🇷", 'a<b>:"/\\|?*'),
]
SAID = [("everyday", sentence) for sentence in SENTENCES]
SAID += [(f"runs/{name}", "x") for name in ("a b", "a-b", "a_b")]


def test_names_of_files_tell_models_and_sentences_apart_and_suit_any_system():
    names = [stem({"model": model, "sentence": sentence}) for model, sentence in SAID]
    assert len({name.casefold() for name in names}) == len(SAID)
    for name in names:
        assert not re.search(r'[<>:"/\\|?*\s\u0000-\u001f\u200b-\u200f\u2066-\u2069.]', name), name
        assert len(name.encode()) <= 180


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("The woman crossed the street.", "The-woman-crossed-the"),
        ("नमस्ते दुनिया", "नमस्ते-दुनिया"),
        ("می‌خواهم", "می-خواهم"),
        ("老师昨天", "老师昨天"),
    ],
)
def test_names_of_files_begin_with_whole_words_of_any_script(sentence, words):
    assert stem({"model": "copy", "sentence": sentence}).startswith(f"copy-{words}-")
