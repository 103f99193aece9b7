import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from core.analysis.attribution.flow import source_flow, source_rollout


def drawn(seed, n_layers, n_heads, length, spread=2.0):
    rng = np.random.default_rng(seed)

    def softmaxed(*shape):
        weights = np.exp(rng.normal(scale=spread, size=shape))
        return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)

    return softmaxed(n_layers, n_heads, length, length), softmaxed(n_heads, length)


ATTENDING = st.builds(
    drawn, st.integers(0, 9999), st.integers(1, 3), st.integers(1, 3), st.integers(1, 5)
)


def layers_of(encoder):
    length = encoder.shape[-1]
    return [
        0.5 * np.mean(layer.astype(np.float64), axis=0) + 0.5 * np.eye(length) for layer in encoder
    ]


def most_that_flows(encoder, cross, token):
    """The same as a linear programme: one variable an edge, what comes in goes out."""
    length = encoder.shape[-1]
    edges = [
        (("row",), (len(encoder), key), weight)
        for key, weight in enumerate(cross.astype(np.float64).mean(axis=0))
    ]
    for layer, mixing in enumerate(layers_of(encoder)):
        for query, key in np.ndindex(length, length):
            edges.append(((layer + 1, query), (layer, key), mixing[query, key]))
    inner = [(layer, key) for layer in range(1, len(encoder) + 1) for key in range(length)]
    balance = np.array(
        [[(end == node) - (start == node) for start, end, _ in edges] for node in inner], float
    )
    into = [-float(end == (0, token)) for _, end, _ in edges]
    solved = linprog(
        into,
        A_eq=balance,
        b_eq=np.zeros(len(inner)),
        bounds=[(0, capacity) for *_, capacity in edges],
    )
    return -solved.fun


@settings(max_examples=25)
@given(ATTENDING)
def test_flow_is_the_optimum_of_a_linear_programme(attending):
    encoder, cross = attending
    expected = [most_that_flows(encoder, cross, token) for token in range(encoder.shape[-1])]
    assert source_flow(encoder, cross) == pytest.approx(expected, abs=1e-6)


@given(ATTENDING, st.data())
def test_to_a_word_flows_what_flows_to_its_tokens_at_once(attending, data):
    encoder, cross = attending
    length = encoder.shape[-1]
    first = data.draw(st.integers(1, length))
    words = [0] * first + list(range(1, length - first + 1))
    alone, flow = source_flow(encoder, cross), source_flow(encoder, cross, words)
    assert flow[1:] == pytest.approx(alone[first:], abs=1e-7)
    assert alone[:first].max() - 1e-7 <= flow[0] <= min(1, alone[:first].sum()) + 1e-7
    # Whatever leaves the row can reach the whole source.
    assert source_flow(encoder, cross, [0] * length) == pytest.approx([1], abs=1e-6)


@given(ATTENDING)
def test_rollout_is_the_row_times_the_product_of_the_layers(attending):
    encoder, cross = attending
    expected = cross.astype(np.float64).mean(axis=0)
    for mixing in reversed(layers_of(encoder)):
        # float32 rows sum to 1 but for rounding, and the rollout makes them sum to 1 exactly.
        expected = expected @ (mixing / mixing.sum(axis=1, keepdims=True))
    assert source_rollout(encoder, cross) == pytest.approx(expected, abs=1e-12)
    assert source_rollout(encoder, cross).sum() == pytest.approx(1, abs=1e-6)


@given(ATTENDING)
def test_at_least_what_rolls_out_can_flow(attending):
    rolled, flow = source_rollout(*attending), source_flow(*attending)
    assert (flow >= rolled - 1e-6).all()
    assert flow.max() <= 1 + 1e-6


@given(ATTENDING, st.randoms(use_true_random=False))
def test_tokens_that_change_places_take_their_flow_along(attending, random):
    encoder, cross = attending
    order = list(range(encoder.shape[-1]))
    random.shuffle(order)
    moved = source_flow(encoder[:, :, order][..., order], cross[:, order])
    assert moved == pytest.approx(source_flow(encoder, cross)[order], abs=1e-7)


def test_a_path_is_as_strong_as_its_weakest_edge():
    # The row looks at position 0 alone, which looks at token 1 alone: 0.5 of it stays its own.
    encoder = np.array([[[[0, 1], [0, 1]]]], np.float32)
    cross = np.array([[1, 0]], np.float32)
    assert source_flow(encoder, cross).tolist() == [0.5, 0.5]
    # With two such layers: token 0 only over 0 → 0 → 0, token 1 over 0 → 0 → 1 and 0 → 1 → 1.
    assert source_rollout(encoder.repeat(2, axis=0), cross).tolist() == [0.25, 0.75]
    assert source_flow(encoder.repeat(2, axis=0), cross).tolist() == [0.5, 1.0]
