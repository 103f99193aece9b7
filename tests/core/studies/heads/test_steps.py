"""Heads in numbers: every step against the weights, and how each number came about."""

import math

import numpy as np
import pytest

from core.heads import Head
from core.inspection import inspect_sentence
from core.studies.heads.stages import (
    Stage,
    bias,
    cell_at,
    cell_of,
    pair_of,
    panels,
    stage_numbers,
    telling_pair,
    terms,
)
from core.studies.heads.steps import head_steps
from tests.core.studies.heads.conftest import PLAIN, SELF, SENTENCE


def test_the_weights_are_those_of_the_maps_bit_by_bit(run):
    inspection = inspect_sentence(run, SENTENCE)
    for site in {site.attention: site for site in run.model.sites()}.values():
        found = head_steps(run, SENTENCE, Head(site, 0))
        np.testing.assert_array_equal(found.weights_QK, inspection.attention[site].weights_HQK[0])
        np.testing.assert_array_equal(found.visible_QK, inspection.attention[site].visible_QK)


def test_every_number_is_the_total_of_its_terms(steps):
    for stage in PLAIN:
        made = panels(steps, stage)[0].values
        for row, column in np.ndindex(made.shape):
            found = terms(steps, stage, row, column)
            assert found.recorded == made[row, column]
            if math.isinf(found.recorded):
                assert found.total == found.recorded
                continue
            scale = max(1.0, float(np.abs(found.terms_N).sum()))
            assert abs(found.total - found.recorded) <= 3e-6 * scale, stage


@pytest.mark.parametrize("stage", [Stage.QUERIES, Stage.MASK, Stage.OUTPUT])
def test_the_table_has_every_matrix_and_then_the_terms_of_one_number(steps, stage):
    columns = stage_numbers(steps, stage, 0, 0).table()
    rows = [*zip(columns["matrix"], columns["row"], columns["column"], strict=True)]
    added = bias(steps, stage)
    shown = (*panels(steps, stage), *([] if added is None else [added]))
    wanted = {panel.name: panel.values for panel in shown}
    cells = [(name, *at) for name, values in wanted.items() for at in np.ndindex(values.shape)]
    assert rows[: len(cells)] == cells
    numbers = np.concatenate([values.reshape(-1) for values in wanted.values()])
    np.testing.assert_array_equal(columns["value"][: len(cells)], numbers)
    found = terms(steps, stage, 0, 0)
    made = [*found.left_N, *found.right_N, *found.terms_N]
    assert columns["value"][len(cells) :] == made
    assert set(columns["matrix"][len(cells) :]) == {f"terms:{found.names[0]}"}
    assert columns["row_token"][0] == steps.queries[0].text


def test_every_stage_has_a_cell_for_a_pair_that_is_about_that_pair(steps):
    query, key = telling_pair(steps)
    for stage in PLAIN:
        row, column = cell_at(steps, stage, query, key)
        assert (
            terms(steps, stage, row, column).recorded == panels(steps, stage)[0].values[row, column]
        )
        found = pair_of(steps, stage, row, column)
        made = panels(steps, stage)[0]
        assert found[0] == query or made.rows == "key"
        assert found[1] == key or "key" not in (made.rows, made.columns)


@pytest.mark.parametrize("cell", [(3, 0, 0), (-1, 0, 0), (0, 99, 0), (0, 0, 99), (0, -1, 0)])
def test_a_cell_that_a_stage_does_not_have_asks_for_nothing(uneven_run, cell):
    assert cell_of(head_steps(uneven_run, SENTENCE, Head(SELF, 0)), Stage.QUERIES, *cell) is None
