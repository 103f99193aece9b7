import base64
import csv
import io
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.__main__ import main
from pages.frame import export
from pages.frame.export import as_csv, as_json, stem
from pages.frame.language import plain
from tests.pages.conftest import ROOT, shown
from tests.viz.unpacked import unpack_maps as unpack

TIRED = "The animal didn't cross the street because it was too tired."
KINDS = {"encoder self": "encoder.self", "decoder self": "decoder.self", "cross": "decoder.cross"}


@pytest.fixture
def inspected(capsys):
    """Return a function that asks the command line for every weight of a sentence."""

    def run(model, sentence):
        assert main(["inspect", str(ROOT / "gallery" / model), sentence, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def from_csv(text):
    """Read a CSV file as a program does that knows of the apostrophes; every value is text."""
    names, *rows = csv.reader(io.StringIO(text, newline=""))
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return {
        name.removeprefix("'"): [value.removeprefix("'") for value in values]
        for name, values in zip(names, columns, strict=True)
    }


def payload(page):
    """Return the block of bytes that a page of one component holds."""
    [written] = re.findall(r'<script type="text/plain" id="payload-0">([^<]*)</script>', page)
    return base64.b64decode(written)


@pytest.mark.parametrize("kind", KINDS)
def test_csv_json_and_html_hold_the_weights_of_the_command_line(open_view, inspected, kind):
    at, taken = open_view("maps", kind=kind, layer="1", head="2")
    found = inspected("translate-guided", TIRED)["attention"]
    stack, attention = KINDS[kind].split(".")
    expected = found[f"{stack}.1.{attention}"]["weights"][2]
    flat = [weight for row in expected for weight in row]
    columns = from_csv(as_csv(taken.columns()))
    assert [float(weight) for weight in columns["weight"]] == flat
    assert json.loads(as_json({}, taken.columns()))["columns"]["weight"] == flat
    maps = unpack(payload(export.page(taken, about())))
    assert maps.weights[1, 2].tolist() == expected
    assert np.array_equal(maps.visible, shown(at).visible)


def about(**changed):
    facts = {"model": "m", "step": 1, "sentence": "s", "translation": "t"}
    return facts | changed


@pytest.fixture
def files(monkeypatch):
    """What a click on each download button would write: ending → function."""
    found = {}

    def noted(label, mime, file, written):
        found[file.rpartition(".")[2]] = written

    monkeypatch.setattr(export, "_download", noted)
    return found


def test_what_must_be_said_of_a_run_is_said_on_the_page_and_in_its_files(
    open_view, own_copy, files
):
    (own_copy / "NOTICE").write_text("From *Tatoeba*, CC BY 2.0 FR.")
    at, _ = open_view("maps", model="runs/mine")
    assert at.caption[-1].value == plain("From *Tatoeba*, CC BY 2.0 FR.")
    assert json.loads(files["json"]())["notice"] == "From *Tatoeba*, CC BY 2.0 FR."


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
