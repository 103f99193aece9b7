import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.studies.heads.aggregate import heads_of_all_layers, largest_of_heads, mean_of_heads

# Of rows that sum to 1 in 32-bit floats.
CLOSE = 1e-6
sizes = st.integers(1, 5)


@st.composite
def looked(draw):
    """Heads' weights as a softmax makes them, and what is visible; the first key always is."""
    heads, queries, keys = draw(sizes), draw(sizes), draw(sizes)
    scores = draw(arrays(np.float64, (heads, queries, keys), elements=st.floats(-20, 20)))
    visible = draw(arrays(np.bool_, (queries, keys)))
    visible[:, 0] = True
    grown = np.where(visible, np.exp(scores - scores.max(-1, keepdims=True)), 0.0)
    grown[..., 0] += 1e-3
    return (grown / grown.sum(-1, keepdims=True)).astype(np.float32), visible


@given(looked())
def test_rows_of_a_mean_sum_to_one_where_those_of_the_heads_do(case):
    weights_HQK, _ = case
    assert mean_of_heads(weights_HQK).sum(-1) == pytest.approx(1.0, abs=CLOSE)


@given(looked())
def test_a_mean_is_what_adding_and_dividing_gives(case):
    weights_HQK, _ = case
    expected = sum(head.astype(np.float64) for head in weights_HQK) / len(weights_HQK)
    assert mean_of_heads(weights_HQK) == pytest.approx(expected, abs=1e-7)


@given(looked())
def test_the_largest_is_the_weight_of_some_head_and_of_none_less(case):
    weights_HQK, _ = case
    largest_QK = largest_of_heads(weights_HQK)
    assert (largest_QK >= weights_HQK).all()
    assert (largest_QK == weights_HQK).any(axis=0).all()


@given(looked())
def test_the_largest_is_never_below_the_mean(case):
    weights_HQK, _ = case
    assert (largest_of_heads(weights_HQK) >= mean_of_heads(weights_HQK)).all()


@given(looked(), st.randoms(use_true_random=False))
def test_the_order_of_the_heads_changes_nothing(case, random):
    weights_HQK, _ = case
    order = random.sample(range(len(weights_HQK)), len(weights_HQK))
    shuffled_HQK = weights_HQK[order]
    assert (largest_of_heads(shuffled_HQK) == largest_of_heads(weights_HQK)).all()
    assert mean_of_heads(shuffled_HQK) == pytest.approx(mean_of_heads(weights_HQK), abs=1e-7)


@given(looked())
def test_what_is_hidden_from_every_head_stays_without_weight(case):
    weights_HQK, visible_QK = case
    for aggregate in (mean_of_heads, largest_of_heads):
        assert (aggregate(weights_HQK)[~visible_QK] == 0.0).all()


@given(looked())
def test_one_head_alone_is_its_own_mean_and_its_own_largest(case):
    weights_HQK, _ = case
    alone_HQK = weights_HQK[:1]
    assert (mean_of_heads(alone_HQK) == alone_HQK[0]).all()
    assert (largest_of_heads(alone_HQK) == alone_HQK[0]).all()


def test_all_layers_give_every_head_the_same_share():
    low, high = np.full((1, 2, 3), 0.25, np.float32), np.full((3, 2, 3), 0.5, np.float32)
    together_HQK = heads_of_all_layers([low, high])
    assert together_HQK.shape == (4, 2, 3)
    # Not (0.25 + 0.5) / 2: the second layer has three heads.
    assert mean_of_heads(together_HQK) == pytest.approx(np.full((2, 3), 0.4375))


@pytest.mark.parametrize("shape", [(2, 3), (0, 2, 3), (1, 2, 3, 4)])
def test_what_are_no_heads_is_refused(shape):
    with pytest.raises(ValueError, match="heads, queries, keys"):
        mean_of_heads(np.zeros(shape, np.float32))
    with pytest.raises(ValueError, match="heads, queries, keys"):
        largest_of_heads(np.zeros(shape, np.float32))


@pytest.mark.parametrize("layers", [[], [np.zeros((1, 2, 2)), np.zeros((1, 2, 3))]])
def test_layers_whose_maps_do_not_fit_are_refused(layers):
    with pytest.raises(ValueError, match="one shape"):
        heads_of_all_layers(layers)
