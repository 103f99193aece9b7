import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.batch import Pair
from core.heads import Kind
from core.studies.effects.head_report import likeness
from tests.core.studies.heads.heads_by_hand import SELF, ByHand


def softmaxed(seed, length, spread):
    scores = np.random.default_rng(seed).normal(scale=spread, size=(4, length, length))
    weights = np.exp(scores)
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


def found_in(weights):
    """Of four heads of one encoder layer, for a source of one length."""
    known = [Pair((5,) * (weights.shape[-1] - 1) + (2,), (1, 5, 2))]
    heads = [lambda _, weights_QK=each: weights_QK for each in weights]
    return likeness(ByHand(known, {SELF: heads}), known, Kind.ENCODER_SELF)


def entropy(p):
    return -sum(x * np.log2(x) for x in p if x > 0)


@given(seed=st.integers(0, 9999), length=st.integers(2, 6), spread=st.floats(0, 30))
def test_likeness_is_one_less_the_mean_distance_of_rows(seed, length, spread):
    weights = softmaxed(seed, length, spread)
    heads = weights.astype(np.float64)
    found = found_in(weights)
    assert found.n_rows == length
    for one in range(4):
        for other in range(4):
            distances = [
                max(0, entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2) ** 0.5
                for p, q in zip(heads[one], heads[other], strict=True)
            ]
            # A root makes 1e-6 of a rounding error of 1e-12.
            expected = pytest.approx(1 - np.mean(distances), abs=1e-6)
            assert found.likeness_NN[one, other] == expected


@pytest.mark.parametrize("kind", list(Kind))
def test_padding_does_not_count(copy_run, kind):
    model = copy_run.model
    pairs = [Pair((5, 6, 7, 8, 9, 2), (1, 5, 6, 7, 8, 9, 2)), Pair((6, 2), (1, 6, 6, 2))]
    together = likeness(model, pairs, kind)
    apart = [likeness(model, [pair], kind) for pair in pairs]
    assert together.n_rows == sum(each.n_rows for each in apart)
    mean = sum(each.likeness_NN * each.n_rows for each in apart) / together.n_rows
    assert together.likeness_NN == pytest.approx(mean, abs=1e-5)
