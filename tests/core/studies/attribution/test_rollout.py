"""Rollout, against products written out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.inspection import inspect_sentence
from core.studies.attribution.rollout import (
    rollout,
    stack_rollout,
)


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


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_a_stacks_rollout_is_that_of_its_self_attention(copy_run, stack):
    inspection = inspect_sentence(copy_run, "d a f q", target="d a f")
    found = stack_rollout(inspection, stack)
    layers = [
        each.weights_HQK
        for site, each in inspection.attention.items()
        if (site.stack, site.sublayer) == (stack, "self")
    ]
    assert found.rolled_LQK == pytest.approx(rollout(np.stack(layers)))
    last = found.rolled_LQK[-1].tolist()
    n = len(last)
    for key in range(n):
        column = [row[key] for row in last]
        assert found.seen_K[key] == pytest.approx(sum(column) / n)
        able = n - key if stack == "decoder" else n
        assert found.seen_fairly_K[key] == pytest.approx(sum(column) / able)
