from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd.functional import jacobian

from core.config import ModelConfig
from core.heads import Site
from core.model import Record, Step, build
from core.studies.lessons.sublayers import (
    directions,
    firing,
    hidden_units,
    influence,
    sublayer_inputs,
    top_units,
)
from core.vocabulary import BOS, EOS

SMALL = ModelConfig(30, 2, 1, 16, 32, 4, d_k=5, d_v=3, dropout=0.3, max_positions=90)
SOURCE = (5, 9, 7, 12, 9, EOS)


@pytest.fixture(params=["post", "pre"])
def model(request):
    return build(replace(SMALL, norm=request.param), seed=3).eval()


@pytest.mark.parametrize("layer", [0, 1])
def test_influence_is_the_jacobian_times_the_direction(model, layer):
    found = influence(model, layer, SOURCE)
    sublayers = model.double().encoder[layer]
    around, inner = (x.clone() for x in sublayer_inputs(model, layer, SOURCE))
    moves = directions(*around.shape)
    attention, feed_forward = sublayers.self_attention, sublayers.feed_forward

    def attended(x):
        return attention(x[None], attention.keys_values(x[None]), None, None)[0]

    for matrix, function, x in (
        (found.attention.ratio_KK, attended, around),
        (found.feed_forward.ratio_KK, feed_forward, inner),
    ):
        slopes = jacobian(function, x)  # output position, feature, input position, feature
        expected = torch.einsum("idje,je->ijd", slopes, moves).norm(dim=-1)
        np.testing.assert_allclose(matrix, expected.numpy(), atol=1e-6)


def test_in_a_decoder_alone_nothing_later_moves_what_comes_before():
    alone = ModelConfig(30, 0, 2, 16, 32, 4, max_positions=90, positions="rotary")
    found = influence(build(alone, seed=3).eval(), 1, SOURCE)
    ratio_KK = found.attention.ratio_KK
    assert (np.triu(ratio_KK, 1) == 0).all()
    assert (ratio_KK[np.tril_indices(len(SOURCE))] > 0).all()
    assert found.feed_forward.away_from_diagonal == (0.0, 0.0)


SOURCE, FED = (5, 9, 7, 12, EOS), (BOS, 8, 11, 4)
FIRST = Site("encoder", 0, "feed_forward")


@pytest.fixture(scope="module")
def deep_model():
    return build(ModelConfig(30, 12, 1, 16, 32, 4, dropout=0.3, norm="pre"), seed=3).eval()


@pytest.fixture(scope="module")
def hidden(deep_model):
    return hidden_units(deep_model, SOURCE, FED)


def test_units_are_what_the_relu_leaves_of_the_first_matrix(deep_model, hidden):
    record = Record(frozenset({Step.AFTER_NORM}))
    with torch.no_grad():
        deep_model(torch.tensor([SOURCE]), torch.tensor([FED]), record)
    expand = deep_model.encoder[0].feed_forward.expand
    weight, bias = (one.detach().double().numpy() for one in (expand.weight, expand.bias))
    given_KD = record.tensors[FIRST, Step.AFTER_NORM][0].double().numpy()
    expected = np.maximum(given_KD @ weight.T + bias, 0)
    np.testing.assert_allclose(hidden[FIRST], expected, atol=1e-5)
    # They would not be units that fire, were there nothing below zero.
    assert 0.2 < (expected > 0).mean() < 0.8


HAND = {
    Site("encoder", 10, "feed_forward"): np.array([[1, 0, 0, 0], [1, 0, 0, 0]], np.float32),
    Site("encoder", 2, "feed_forward"): np.array([[1, 0, 2, 0], [3, 4, 0, 0]], np.float32),
    Site("decoder", 0, "feed_forward"): np.ones((3, 4), np.float32),
}


def test_shares_are_those_counted_by_hand_with_layers_in_their_order():
    found = firing(HAND, "encoder")
    assert found.tolist() == [[0.5, 0.5], [0.25, 0.25]]
    assert firing(HAND, "decoder").tolist() == [[1, 1, 1]]


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(0, 12),
    at=st.integers(0, 5),
)
def test_top_units_agree_with_sorting_all_of_them(seed, n, at):
    drawn = np.random.default_rng(seed).integers(-2, 4, (6, 10)).clip(0).astype(np.float32)
    found = top_units(drawn, at, n)
    ranked = sorted((-value, unit) for unit, value in enumerate(drawn[at]) if value > 0)
    assert [(unit.unit, unit.activation) for unit in found] == [
        (unit, -value) for value, unit in ranked[:n]
    ]
    for unit in found:
        others = sorted((-drawn[k, unit.unit], k) for k in range(6) if k != at)
        expected = [(k, -value) for value, k in others if value < 0]
        assert list(unit.others) == expected
