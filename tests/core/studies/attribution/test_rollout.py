"""Rollout, against products written out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.studies.attribution.rollout import rollout, source_rollout


def softmaxed(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


SCORES = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 6)).flatmap(
    lambda s: arrays(np.float64, (s[0], s[1], s[2], s[2]), elements=st.floats(-4, 4))
)


@given(SCORES)
def test_rollout_is_the_product_of_half_the_weights_and_half_the_identity(scores):
    weights = softmaxed(scores)
    expected = np.eye(weights.shape[-1])
    for layer in weights:
        mean = sum(head.astype(np.float64) for head in layer) / len(layer)
        half = 0.5 * mean + 0.5 * np.eye(len(mean))
        expected = (half / half.sum(axis=1, keepdims=True)) @ expected
    assert rollout(weights)[-1] == pytest.approx(expected, abs=1e-12)


@given(SCORES)
def test_a_source_rolls_to_the_row_that_looks_at_the_last_layer(scores):
    weights = softmaxed(scores)
    row_HS = weights[0, :, 0]
    expected = row_HS.astype(np.float64).mean(axis=0) @ rollout(weights)[-1]
    assert source_rollout(weights, row_HS) == pytest.approx(expected, abs=1e-12)
    assert source_rollout(weights[:0], row_HS) == pytest.approx(row_HS.mean(axis=0), abs=1e-6)
