import math

import numpy as np
import pytest

from core.heads import Head
from core.studies.heads.stages import Stage, bias, matrices, panels
from core.studies.heads.steps import head_steps
from core.studies.heads.terms import largest, shares_of_heads, stage_numbers, terms
from tests.core.studies.heads.conftest import BACK, PLAIN, SENTENCE


@pytest.mark.parametrize("stage", PLAIN)
def test_every_number_is_the_total_of_its_terms(steps, stage):
    made = panels(steps, stage)[0].values
    for row, column in np.ndindex(made.shape):
        found = terms(steps, stage, row, column)
        assert found.recorded == made[row, column]
        if math.isinf(found.recorded):
            assert found.total == found.recorded
            continue
        scale = max(1.0, float(np.abs(found.terms_N).sum()))
        assert found.total == pytest.approx(found.recorded, abs=3e-6 * scale)


@pytest.mark.parametrize(
    ("stage", "axis"),
    [
        (Stage.QUERIES, "d_model"),
        (Stage.PRODUCTS, "d_k"),
        (Stage.MIX, "key"),
        (Stage.OUTPUT, "heads × d_v"),
    ],
)
def test_a_dot_product_has_a_term_for_each_number_of_both_vectors(steps, stage, axis):
    found = terms(steps, stage, 0, 0)
    lengths = {
        "d_model": steps.query.given_KD.shape[1],
        "d_k": steps.d_k,
        "key": steps.weights_QK.shape[1],
        "heads × d_v": steps.n_heads * steps.d_v,
    }
    assert (found.rule, found.over) == ("sum", axis)
    assert found.places == range(lengths[axis])
    assert len(found.left_N) == len(found.right_N) == len(found.terms_N) == lengths[axis]
    np.testing.assert_array_equal(found.terms_N, found.left_N * found.right_N)
    assert (found.bias is None) == (bias(steps, stage) is None)
    assert found.total == pytest.approx(found.sum + (found.bias or 0), abs=1e-12)


def test_a_share_is_a_power_of_e_among_those_of_its_row(steps):
    row = len(steps.weights_QK) - 1
    found = terms(steps, Stage.SOFTMAX, row, 0)
    np.testing.assert_array_equal(found.left_N, steps.masked_QK[row].astype(float))
    assert found.right_N.max() == 1.0
    assert found.sum == pytest.approx(1.0)
    seen = np.isfinite(found.left_N)
    assert (found.right_N[~seen] == 0).all()
    powers = np.exp(found.left_N[seen])
    np.testing.assert_allclose(found.terms_N[seen], powers / powers.sum())


def test_a_score_is_divided_and_then_kept_or_hidden(uneven_run):
    found = head_steps(uneven_run, SENTENCE, Head(BACK, 1))
    quotient = terms(found, Stage.SCALE, 2, 1)
    assert (quotient.rule, quotient.left_N[0]) == ("quotient", found.products_QK[2, 1])
    assert quotient.right_N[0] == math.sqrt(uneven_run.settings.model.d_k)
    assert terms(found, Stage.MASK, 2, 1).total == found.scores_QK[2, 1]
    hidden = terms(found, Stage.MASK, 1, 2)
    assert (hidden.right_N[0], hidden.total) == (0.0, -math.inf)


def test_the_heads_shares_and_the_bias_are_what_the_sublayer_adds(steps):
    shares = shares_of_heads(steps, -1, 3)
    assert len(shares) == steps.n_heads
    assert shares[steps.head.index] == pytest.approx(float(steps.term_QD[-1, 3]), abs=1e-5)
    total = sum(shares) + float(steps.output_bias_D[3])
    assert total == pytest.approx(float(steps.added_QD[-1, 3]), abs=1e-5)


def test_every_head_has_its_own_place_in_what_is_put_side_by_side(run):
    site = run.model.sites()[0]
    for head in range(run.settings.model.n_heads):
        found = head_steps(run, SENTENCE, Head(site, head))
        whole, mixed = (panel.values for panel in panels(found, Stage.CONCATENATE))
        np.testing.assert_array_equal(mixed, whole[:, head * found.d_v : (head + 1) * found.d_v])
        copied = terms(found, Stage.CONCATENATE, 0, head * found.d_v)
        assert copied.names[1] == f"mixed[0, 0] of head {head}"
        assert copied.total == mixed[0, 0]


def test_a_position_that_sees_itself_alone_gives_itself_all_weight(uneven_run):
    found = head_steps(uneven_run, SENTENCE, Head(BACK, 0))
    assert terms(found, Stage.SOFTMAX, 0, 0).total == 1.0


@pytest.mark.parametrize("stage", PLAIN)
def test_a_cell_beyond_the_stages_result_is_refused(steps, stage):
    n_rows, n_columns = panels(steps, stage)[0].values.shape
    for cell in ((n_rows, 0), (0, n_columns)):
        with pytest.raises(IndexError):
            terms(steps, stage, *cell)


def test_of_terms_as_far_from_0_the_earlier_comes_first():
    assert largest(np.array([1.0, -3.0, 0.0, 3.0, -1.0]), 4) == [1, 3, 0, 4]
    assert largest(np.array([1.0]), 3) == [0]


@pytest.mark.parametrize("stage", [Stage.QUERIES, Stage.MASK, Stage.OUTPUT])
def test_the_table_has_every_matrix_and_then_the_terms_of_one_number(steps, stage):
    columns = stage_numbers(steps, stage, 0, 0).table()
    rows = [*zip(columns["matrix"], columns["row"], columns["column"], strict=True)]
    wanted = matrices(steps, stage)
    cells = [(name, *at) for name, values in wanted.items() for at in np.ndindex(values.shape)]
    assert rows[: len(cells)] == cells
    numbers = np.concatenate([values.reshape(-1) for values in wanted.values()])
    np.testing.assert_array_equal(columns["value"][: len(cells)], numbers)
    found = terms(steps, stage, 0, 0)
    made = [*found.left_N, *found.right_N, *found.terms_N]
    assert columns["value"][len(cells) :] == made
    assert set(columns["matrix"][len(cells) :]) == {f"terms:{found.names[0]}"}
    assert columns["row_token"][0] == steps.queries[0].text
