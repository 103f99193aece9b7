import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.analysis.heads.cells import cell_at, cell_of, pair_of, telling_pair
from core.analysis.heads.stages import Stage, bias, matrices, panels
from core.analysis.heads.steps import head_steps
from core.analysis.heads.terms import largest, shares_of_heads, terms
from core.decoding.sentence import translate
from core.heads import Head, Kind, Site
from core.inspection import inspect_sentence
from core.model import Record, Step, build

SENTENCE = "ab cd ef"
SELF, BACK, CROSS = (
    Site.parse(at) for at in ("encoder.0.self", "decoder.0.self", "decoder.0.cross")
)
SIZES = {
    "trained, pre-norm": None,
    "post-norm, d_v ≠ d_k": {"norm": "post", "n_heads": 3, "d_k": 5, "d_v": 7},
    "pre-norm, d_v ≠ d_k": {"norm": "pre", "n_heads": 3, "d_k": 6, "d_v": 2},
    "1 × 1": {"n_encoder_layers": 1, "n_heads": 1, "d_k": 0, "d_v": 0},
    "12 × 16": {
        **{"n_encoder_layers": 12, "n_decoder_layers": 12, "n_heads": 16},
        **{"d_model": 32, "d_k": 0, "d_v": 0},
    },
}


def random_run(copy_run, sizes):
    """A run with random weights and biases; it writes until its positions are full."""
    config = replace(copy_run.settings.model, **{"max_positions": 12, **sizes})
    model = build(config, seed=3).eval()
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return replace(copy_run, settings=replace(copy_run.settings, model=config), model=model)


@pytest.fixture(scope="module", params=SIZES)
def run(request, copy_run):
    sizes = SIZES[request.param]
    return copy_run if sizes is None else random_run(copy_run, sizes)


@pytest.fixture(scope="module")
def uneven_run(copy_run):
    return random_run(copy_run, SIZES["post-norm, d_v ≠ d_k"])


@pytest.fixture(params=list(Kind))
def steps(run, request):
    """The last head of the last layer of each kind."""
    sites = [site for site in run.model.sites() if site.attention == request.param]
    return head_steps(run, SENTENCE, Head(sites[-1], run.settings.model.n_heads - 1))


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
    for stage in Stage:
        made = panels(steps, stage)[0].values
        if stage is Stage.CONCATENATE:
            made = made[:, steps.head.index * steps.d_v : (steps.head.index + 1) * steps.d_v]
        np.testing.assert_allclose(made, wanted[stage], rtol=2e-4, atol=2e-4)
    np.testing.assert_allclose(steps.term_QD, wanted["term"], rtol=2e-4, atol=2e-4)
    np.testing.assert_array_equal(steps.visible_QK, np.isfinite(wanted[Stage.MASK]))


def test_the_numbers_go_on_from_stage_to_stage(steps):
    """What goes into a stage came out of an earlier one, bit by bit."""
    made = {panels(steps, stage)[0].name: panels(steps, stage)[0].values for stage in Stage}
    made["kᵀ"] = made["k"].T
    for stage in Stage:
        for panel in panels(steps, stage)[1:]:
            if panel.name in made:
                np.testing.assert_array_equal(panel.values, made[panel.name])


def test_the_weights_are_those_of_the_maps_bit_by_bit(run):
    inspection = inspect_sentence(run, SENTENCE)
    for site in run.model.sites()[::5]:
        found = head_steps(run, SENTENCE, Head(site, 0))
        np.testing.assert_array_equal(found.weights_QK, inspection.attention[site].weights_HQK[0])
        np.testing.assert_array_equal(found.visible_QK, inspection.attention[site].visible_QK)


@pytest.mark.parametrize("stage", Stage)
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


def test_all_numbers_of_a_stage_are_its_matrices_and_its_bias(steps):
    for stage in Stage:
        found = matrices(steps, stage)
        offset = bias(steps, stage)
        names = [panel.name for panel in panels(steps, stage)]
        assert list(found) == names + ([] if offset is None else [offset.name])
        assert all(values.dtype == np.float32 and values.ndim == 2 for values in found.values())


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
    for stage in Stage:
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


def test_a_position_alone_looks_at_itself(uneven_run):
    found = head_steps(uneven_run, SENTENCE, Head(BACK, 0))
    assert telling_pair(replace(found, weights_QK=found.weights_QK[:1, :1])) == (0, 0)
    assert terms(found, Stage.SOFTMAX, 0, 0).total == 1.0
