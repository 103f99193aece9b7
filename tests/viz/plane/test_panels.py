"""Floats that are written shorter, and come back as they were."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from viz.plane.panels import pack_arrays, squeezed, stretched, unpack_arrays


@given(arrays(np.float32, st.integers(1, 60), elements=st.floats(2**-29, 1.5, width=32)))
def test_squeezed_weights_come_back_bit_by_bit(weights):
    shorter, table = squeezed(weights)
    assert stretched(shorter, table, weights.size).tobytes() == weights.tobytes()


@given(arrays(np.float32, st.integers(1, 60), elements=st.floats(0, 1, width=32)))
def test_weights_that_are_smaller_by_far_keep_five_digits_and_no_weight_stays_none(weights):
    shorter, table = squeezed(weights)
    back = stretched(shorter, table, weights.size)
    normal = weights >= 2**-126
    np.testing.assert_allclose(back[normal], weights[normal], rtol=4e-5)
    assert not back[weights == 0].any()


@pytest.mark.parametrize("temperature", [0.1, 1.0, 4.0])
def test_a_head_of_128_tokens_takes_57_kilobytes_however_sharp_it_is(temperature):
    scores = np.random.default_rng(0).normal(0, 3 / temperature, (128, 128))
    scores -= scores.max(axis=1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    shorter, _ = squeezed(weights.astype(np.float32))
    assert shorter.size == 3.5 * weights.size


def test_arrays_come_out_again_each_from_where_it_can_be_read():
    given_arrays = [np.ones(3, np.bool_), np.arange(4, dtype=np.float32), np.full(5, 9, np.uint8)]
    header, read = unpack_arrays(pack_arrays({"a": 1}, given_arrays))
    assert header["a"] == 1
    assert [array.tolist() for array in read] == [[1, 1, 1], [0, 1, 2, 3], [9] * 5]
