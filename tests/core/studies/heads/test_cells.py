from dataclasses import replace

import numpy as np
import pytest

from core.heads import Head
from core.studies.heads.cells import cell_at, cell_of, pair_of, telling_pair
from core.studies.heads.stages import Stage, panels
from core.studies.heads.steps import head_steps
from core.studies.heads.terms import largest, terms
from tests.core.studies.heads.conftest import BACK, CROSS, PLAIN, SELF, SENTENCE


def test_the_telling_pair_has_the_largest_weight_but_for_looking_at_itself(uneven_run):
    for site in (SELF, BACK, CROSS):
        found = head_steps(uneven_run, SENTENCE, Head(site, 0))
        query, key = telling_pair(found)
        others = found.weights_QK.astype(float)
        if site.sublayer == "self":
            assert query != key
            others[np.diag_indices(len(others))] = -1
        assert found.weights_QK[query, key] == others.max()


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


def test_the_number_that_is_shown_of_q_and_of_k_makes_most_of_their_product(uneven_run):
    found = head_steps(uneven_run, SENTENCE, Head(SELF, 0))
    query, key = telling_pair(found)
    [first] = largest(terms(found, Stage.PRODUCTS, query, key).terms_N, 1)
    assert cell_at(found, Stage.QUERIES, query, key) == (query, first)
    assert cell_at(found, Stage.KEYS, query, key) == (key, first)


def test_a_cell_of_what_goes_in_asks_for_a_row_or_a_column_of_what_comes_out(uneven_run):
    found = head_steps(uneven_run, SENTENCE, Head(CROSS, 1))
    assert cell_of(found, Stage.QUERIES, 0, 1, 4) == (1, 4)
    assert cell_of(found, Stage.QUERIES, 1, 1, 5)[0] == 1
    assert cell_of(found, Stage.QUERIES, 2, 9, 4)[1] == 4
    assert cell_of(found, Stage.PRODUCTS, 1, 2, 4)[0] == 2
    assert cell_of(found, Stage.PRODUCTS, 2, 4, 2)[1] == 2
    assert cell_of(found, Stage.MIX, 2, 0, 6)[1] == 6
    assert cell_of(found, Stage.CONCATENATE, 1, 1, 6) == (1, found.d_v + 6)
    assert cell_of(found, Stage.OUTPUT, 3, 1, 9) == (1, 9)


@pytest.mark.parametrize("cell", [(3, 0, 0), (-1, 0, 0), (0, 99, 0), (0, 0, 99), (0, -1, 0)])
def test_a_cell_that_a_stage_does_not_have_asks_for_nothing(uneven_run, cell):
    assert cell_of(head_steps(uneven_run, SENTENCE, Head(SELF, 0)), Stage.QUERIES, *cell) is None


def test_a_position_alone_is_paired_with_itself(uneven_run):
    found = head_steps(uneven_run, SENTENCE, Head(BACK, 0))
    assert telling_pair(replace(found, weights_QK=found.weights_QK[:1, :1])) == (0, 0)
