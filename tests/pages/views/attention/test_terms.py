import re

import numpy as np
import pytest

from core.heads import Head
from core.runs.run import load_run
from core.studies.heads.stages import Stage
from core.studies.heads.steps import head_steps
from core.studies.heads.terms import terms
from pages.views.attention.terms import SHOWN, TERMS
from tests.pages.conftest import ROOT, unfold
from tests.pages.views.attention.test_steps import (
    KINDS,
    LOOKED,
    TIRED,
    equation,
    shown,
)


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate")


@pytest.fixture
def open_steps(open_view):
    """Return a function that opens the view, by default on one head of a run without guidance."""
    return lambda **query_params: open_view("steps", **(LOOKED | query_params))


@pytest.mark.parametrize("stage", [Stage.QUERIES, Stage.MIX, Stage.OUTPUT])
def test_the_picture_of_the_terms_has_the_largest_and_the_text_all(open_steps, run, stage):
    at, _ = open_steps(kind="decoder self", stage=stage.value)
    steps = head_steps(run, TIRED, Head(KINDS["decoder self"], 2))
    found = terms(steps, stage, *shown(at).selected[1:])
    by_size = np.argsort(-np.abs(found.terms_N), kind="stable")
    [panel] = shown(at, TERMS).panels
    wanted = np.array([found.left_N, found.right_N, found.terms_N])[:, by_size[:SHOWN]].T
    np.testing.assert_array_equal(panel.values, wanted.astype(np.float32))
    at.segmented_control(key="terms_order").set_value("order").run()
    table = unfold(at, "terms").code[0].value.split("\n\n")[1].splitlines()[1:]
    assert len(table) == len(found.terms_N)
    read = np.array([[float(number) for number in line.split()[-3:]] for line in table])
    written = np.stack([found.left_N, found.right_N, found.terms_N], axis=1)
    np.testing.assert_array_equal(read[:, :2].astype(np.float32), written[:, :2])
    np.testing.assert_allclose(read[:, 2], written[:, 2], rtol=1e-7)


@pytest.mark.parametrize("stage", [Stage.SCALE, Stage.MASK, Stage.CONCATENATE])
def test_the_picture_of_one_term_has_what_there_is(open_steps, run, stage):
    at, _ = open_steps(kind="decoder self", stage=stage.value, cell="0,5,2")
    found = terms(head_steps(run, TIRED, Head(KINDS["decoder self"], 2)), stage, 5, 2)
    [panel] = shown(at, TERMS).panels
    sides = [found.left_N, found.right_N] if found.names[2] else [found.left_N]
    wanted = np.array([[*sides, found.terms_N]], np.float32).reshape(1, -1)
    np.testing.assert_array_equal(panel.values, wanted)
    symbols = [name.partition("[")[0] for name in found.names[1:] if name]
    assert [label.text for label in panel.columns.labels][:-1] == symbols
    # The key, or the dimension, of the cell that was chosen.
    [label] = panel.rows.labels
    assert label.text == ("2" if stage is Stage.CONCATENATE else "animal")
    assert "terms_order" not in [each.key for each in at.segmented_control]


def test_open_terms_stay_open_from_step_to_step(open_steps):
    at, _ = open_steps(stage="k")
    assert unfold(at, "terms").code[0].value.startswith("sum = ")
    at.button(key="steps_next").click().run()
    assert at.code[0].value.startswith("sum = ")


def test_the_line_with_the_numbers_adds_up(open_steps):
    at, _ = open_steps(stage="v")
    line = equation(at).replace("**", "").replace("− ", "-").replace("−", "-")
    assert line.startswith("v (")
    *_, added, offset, total = (float(text) for text in re.findall(r"-?\d+\.\d+", line))
    assert added + offset == pytest.approx(total, abs=0.02)


def test_a_hidden_score_is_said_to_be_minus_infinity(open_steps):
    at, _ = open_steps(kind="decoder self", stage="mask", cell="0,2,5")
    assert equation(at) == "masked (animal → pas): hidden, so it is **−∞**"
    at.button(key="steps_next").click().run()
    assert equation(at).endswith("= **0\u00a0%**")
    assert "nan" not in at.code[0].value


def test_shares_are_in_per_cent_and_no_power_of_e_stands_at_first_sight(open_steps, run):
    at, _ = open_steps(kind="cross", stage="softmax")
    _panel, row, column = shown(at).selected
    steps = head_steps(run, TIRED, Head(KINDS["cross"], 2))
    scores = steps.masked_QK[row].astype(np.float64)
    shares = np.exp(scores) / np.exp(scores).sum()
    [panel] = shown(at, TERMS).panels
    assert [label.text for label in panel.columns.labels] == ["score", "weight"]
    np.testing.assert_allclose(panel.values[:, 1], -np.sort(-shares)[:SHOWN], rtol=1e-5)
    for text, share in zip([row[1] for row in panel.texts], panel.values[:, 1], strict=True):
        assert text.endswith("\u00a0%")
        read = float(text.strip("<> %\u00a0"))
        assert read == pytest.approx(100 * share, abs=0.051)
    assert "**" + panel.texts[0][1] + "**" in equation(at)
    assert "power of e" in unfold(at, "terms").code[0].value
