"""Heads in numbers: every step against the weights, and how each number came about."""

import math

import numpy as np
import pytest
import torch

from core.decoding.sentence import translate
from core.heads import Head
from core.inspection import inspect_sentence
from core.model import Record, Step
from core.studies.heads.stages import (
    Stage,
    bias,
    cell_at,
    cell_of,
    pair_of,
    panels,
    telling_pair,
)
from core.studies.heads.steps import head_steps
from core.studies.heads.terms import largest, shares_of_heads, stage_numbers, terms
from tests.core.studies.heads.conftest import CROSS, PLAIN, SELF, SENTENCE


def double(tensor):
    return tensor.detach().double().numpy()


def reference(run, site, head):
    """Every step in float64, from the model's weights and from what it hands to the sublayer."""
    config = run.settings.model
    translation = translate(run, SENTENCE)
    ids = torch.tensor([translation.source_ids]), torch.tensor([translation.fed_ids])
    given = Step.AFTER_NORM if config.norm == "pre" else Step.STREAM_IN
    record = Record(frozenset({given, Step.ADDED}))
    with torch.no_grad():
        run.model(*ids, record)
        memory = double(run.model.encode(ids[0])[0])
    x = double(record.tensors[site, given][0])
    memory = memory if site.sublayer == "cross" else x
    stack = {"encoder": "encoder", "decoder": "decoder"}[site.stack]
    prefix = f"{stack}.{site.layer}.{site.sublayer}_attention"
    weights = {name: double(value) for name, value in run.model.state_dict().items()}
    ks = slice(head * config.d_k, (head + 1) * config.d_k)
    vs = slice(head * config.d_v, (head + 1) * config.d_v)

    def project(name, inputs, rows):
        weight, offset = weights[f"{prefix}.{name}.weight"], weights[f"{prefix}.{name}.bias"]
        return inputs @ weight[rows].T + offset[rows]

    q, k = project("query", x, ks), project("key", memory, ks)
    v = project("value", memory, vs)
    scores = q @ k.T / math.sqrt(config.d_k)
    visible = np.ones(scores.shape, bool)
    if site.attention == "decoder.self":
        visible = np.tril(visible)
    masked = np.where(visible, scores, -np.inf)
    shares = np.exp(masked - masked.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    term = shares @ v @ weights[f"{prefix}.output.weight"].T[vs]
    return {
        Stage.QUERIES: q,
        Stage.KEYS: k,
        Stage.VALUES: v,
        Stage.PRODUCTS: q @ k.T,
        Stage.SCALE: scores,
        Stage.MASK: masked,
        Stage.SOFTMAX: shares,
        Stage.MIX: shares @ v,
        Stage.CONCATENATE: shares @ v,
        "term": term,
        Stage.OUTPUT: double(record.tensors[site, Step.ADDED][0]),
    }


def test_every_stage_is_what_the_weights_make_of_what_goes_in(run, steps):
    wanted = reference(run, steps.head.site, steps.head.index)
    for stage in PLAIN:
        made = panels(steps, stage)[0].values
        if stage is Stage.CONCATENATE:
            made = made[:, steps.head.index * steps.d_v : (steps.head.index + 1) * steps.d_v]
        np.testing.assert_allclose(made, wanted[stage], rtol=2e-4, atol=2e-4)
    np.testing.assert_allclose(steps.term_QD, wanted["term"], rtol=2e-4, atol=2e-4)
    np.testing.assert_array_equal(steps.visible_QK, np.isfinite(wanted[Stage.MASK]))


def test_the_weights_are_those_of_the_maps_bit_by_bit(run):
    inspection = inspect_sentence(run, SENTENCE)
    for site in run.model.sites()[::5]:
        found = head_steps(run, SENTENCE, Head(site, 0))
        np.testing.assert_array_equal(found.weights_QK, inspection.attention[site].weights_HQK[0])
        np.testing.assert_array_equal(found.visible_QK, inspection.attention[site].visible_QK)


def test_the_numbers_go_on_from_stage_to_stage(steps):
    """What goes into a stage came out of an earlier one, bit by bit."""
    made = {panels(steps, stage)[0].name: panels(steps, stage)[0].values for stage in PLAIN}
    made["kᵀ"] = made["k"].T
    for stage in PLAIN:
        for panel in panels(steps, stage)[1:]:
            if panel.name in made:
                np.testing.assert_array_equal(panel.values, made[panel.name])


def test_two_matrices_that_go_in_can_be_multiplied_and_make_the_first(steps):
    multiplied = []
    for stage in PLAIN:
        made, *given = panels(steps, stage)
        if len(given) != 2:
            continue
        left, right = given
        assert (left.rows, left.columns, right.columns) == (made.rows, right.rows, made.columns)
        offset = bias(steps, stage)
        product = left.values.astype(float) @ right.values.astype(float)
        product += 0.0 if offset is None else offset.values
        np.testing.assert_allclose(made.values, product, rtol=2e-4, atol=2e-4)
        multiplied.append(stage)
    assert set(multiplied) == {*PLAIN[:4], Stage.MIX}


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


def test_the_heads_shares_and_the_bias_are_what_the_sublayer_adds(steps):
    shares = shares_of_heads(steps, -1, 3)
    assert len(shares) == steps.n_heads
    assert shares[steps.head.index] == pytest.approx(float(steps.term_QD[-1, 3]), abs=1e-5)
    total = sum(shares) + float(steps.output_bias_D[3])
    assert total == pytest.approx(float(steps.added_QD[-1, 3]), abs=1e-5)


@pytest.mark.parametrize("stage", PLAIN)
def test_a_cell_beyond_the_stages_result_is_refused(steps, stage):
    n_rows, n_columns = panels(steps, stage)[0].values.shape
    for cell in ((n_rows, 0), (0, n_columns)):
        with pytest.raises(IndexError):
            terms(steps, stage, *cell)


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
