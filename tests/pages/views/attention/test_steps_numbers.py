import json
import re
from dataclasses import replace

import numpy as np
import pytest

from core.analysis.heads.stages import Stage, bias, matrices
from core.analysis.heads.steps import head_steps
from core.analysis.heads.terms import terms
from core.heads import Head
from core.runs.run import load_run
from pages.frame import export
from tests.pages.conftest import ROOT
from tests.pages.views.attention.conftest import run_lines
from tests.pages.views.attention.test_steps import KINDS, LOOKED, TIRED, shown, texts


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate")


@pytest.fixture
def open_steps(open_view):
    return lambda **query_params: open_view("steps", **(LOOKED | query_params))


def test_every_number_of_a_stage_is_taken_and_computed_again_by_the_lines(open_steps, run):
    for kind, stage in (("encoder self", "q"), ("decoder self", "mask"), ("cross", "W^O")):
        _at, taken = open_steps(kind=kind, stage=stage)
        columns = taken.numbers()
        assert len(set(map(len, columns.values()))) == 1
        assert run_lines(taken.lines) == columns["value"]
        steps = head_steps(run, TIRED, Head(KINDS[kind], 2))
        wanted = matrices(steps, Stage(stage))
        at = 0
        for name, values in wanted.items():
            for row, column in np.ndindex(values.shape):
                line = [columns[key][at] for key in ("matrix", "row", "column", "value")]
                assert line == [name, row, column, values[row, column]]
                at += 1
        cell = tuple(map(int, re.findall(r"\d+", columns["matrix"][at])[-2:]))
        found = terms(steps, Stage(stage), *cell)
        made = np.concatenate([found.left_N, found.right_N, found.terms_N])
        assert columns["value"][at:] == made.tolist()
        assert (bias(steps, Stage(stage)) is not None) == ("b^" in "".join(wanted))


def test_the_result_comes_first_and_says_so_and_tokens_stand_beside_their_numbers(open_steps, run):
    at, taken = open_steps(kind="cross", stage="softmax")
    assert shown(at).panels[0].title == "Result: w = softmax(masked): the weights"
    columns = taken.numbers()
    assert columns["matrix"][0] == "w"
    steps = head_steps(run, TIRED, Head(KINDS["cross"], 2))
    n = steps.weights_QK.size
    keys = texts(shown(at).panels[0].columns)
    assert columns["column_token"][:n] == keys * (n // len(keys))
    assert columns["row_token"][:2] == ["BOS", "BOS"]
    _, taken = open_steps(kind="cross", stage="q")
    columns = taken.numbers()
    assert columns["row_token"][0] == "BOS"
    assert columns["column_token"][0] == ""


def test_the_table_has_every_matrix_and_the_terms_the_result_first(open_steps):
    _, taken = open_steps(kind="decoder self", stage="mask")
    found = re.findall(
        r"· matrix ([^<]*) · value",
        export.page(
            replace(taken, component=None),
            {name: "" for name in ("model", "step", "sentence", "translation")},
        ),
    )
    assert found == ["masked", "s", found[-1]]
    assert found[-1].startswith("terms of masked[")


def test_a_file_says_which_head_and_which_number(open_steps):
    _, taken = open_steps(kind="cross", stage="q·k", cell="0,3,5")
    assert taken.about["head"] == "Decoder layer 1, cross-attention head 2"
    assert taken.about["happens"].startswith("Compare. Every query meets every key")
    assert taken.about["number"].startswith("q·k[3, 5] = q[3] · kᵀ[:, 5] = ")


def test_a_sentence_of_any_signs_is_computed_again(open_steps):
    odd = 'The "old" goat\'s \\ {bridge}.'
    _, taken = open_steps(kind="cross", stage="softmax", sentence=odd)
    assert json.dumps(odd) in taken.lines
    assert run_lines(taken.lines) == taken.numbers()["value"]
