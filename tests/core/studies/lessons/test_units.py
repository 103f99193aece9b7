import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.config import ModelConfig
from core.heads import Site
from core.model import Record, Step, build
from core.studies.lessons.units import Unit, firing, hidden_units, top_units
from core.vocabulary import BOS, EOS

SOURCE, FED = (5, 9, 7, 12, EOS), (BOS, 8, 11, 4)
FIRST = Site("encoder", 0, "feed_forward")


@pytest.fixture(scope="module")
def model():
    return build(ModelConfig(30, 12, 1, 16, 32, 4, dropout=0.3, norm="pre"), seed=3).eval()


@pytest.fixture(scope="module")
def hidden(model):
    return hidden_units(model, SOURCE, FED)


def test_every_feed_forward_layer_gives_its_units_at_every_position(hidden):
    layers = [Site("encoder", layer, "feed_forward") for layer in range(12)]
    assert set(hidden) == {*layers, Site("decoder", 0, "feed_forward")}
    assert all(hidden[site].shape == (5, 32) for site in layers)
    assert hidden[Site("decoder", 0, "feed_forward")].shape == (4, 32)


def test_units_are_what_the_relu_leaves_of_the_first_matrix(model, hidden):
    record = Record(frozenset({Step.AFTER_NORM}))
    with torch.no_grad():
        model(torch.tensor([SOURCE]), torch.tensor([FED]), record)
    expand = model.encoder[0].feed_forward.expand
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
    assert found.firing_LK.tolist() == [[0.5, 0.5], [0.25, 0.25]]
    assert found.dead_L.tolist() == [0.25, 0.75]
    assert found.always_L.tolist() == [0.25, 0.25]
    assert firing(HAND, "decoder").firing_LK.tolist() == [[1, 1, 1]]


HIDDEN = np.array(
    [
        [0.0, 2.0, 5.0, 1.0],
        [4.0, 3.0, 0.0, 0.0],
        [1.0, 9.0, 0.0, 0.0],
        [6.0, 0.0, 0.0, 7.0],
    ],
    np.float32,
)


def test_top_units_are_the_largest_with_the_tokens_on_which_they_fire_most():
    assert top_units(HIDDEN, position=0, n=2, n_others=2) == (
        Unit(2, 5.0, ()),
        Unit(1, 2.0, ((2, 9.0), (1, 3.0))),
    )
    assert top_units(HIDDEN, position=2, n=9, n_others=1) == (
        Unit(1, 9.0, ((1, 3.0),)),
        Unit(0, 1.0, ((3, 6.0),)),
    )


def test_where_nothing_fires_there_is_no_unit():
    assert top_units(np.zeros((2, 3), np.float32), 1) == ()


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(0, 12),
    n_others=st.integers(0, 9),
    at=st.integers(0, 5),
)
def test_top_units_agree_with_sorting_all_of_them(seed, n, n_others, at):
    drawn = np.random.default_rng(seed).integers(-2, 4, (6, 10)).clip(0).astype(np.float32)
    found = top_units(drawn, at, n, n_others)
    ranked = sorted((-value, unit) for unit, value in enumerate(drawn[at]) if value > 0)
    assert [(unit.unit, unit.activation) for unit in found] == [
        (unit, -value) for value, unit in ranked[:n]
    ]
    for unit in found:
        others = sorted((-drawn[k, unit.unit], k) for k in range(6) if k != at)
        expected = [(k, -value) for value, k in others if value < 0][:n_others]
        assert list(unit.others) == expected


def test_shares_of_a_model_count_what_is_above_zero(hidden):
    found = firing(hidden, "encoder")
    assert found.firing_LK.shape == (12, 5)
    for layer in range(12):
        values = hidden[Site("encoder", layer, "feed_forward")]
        counts = np.count_nonzero(values, axis=1)
        np.testing.assert_allclose(found.firing_LK[layer], counts / 32)
        assert found.always_L[layer] <= found.firing_LK[layer].min()
        assert found.dead_L[layer] <= 1 - found.firing_LK[layer].max()
