import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.analysis.heads.evenness import evenness

CAUSAL = np.tril(np.ones((3, 3), dtype=bool))


def test_even_rows_over_what_is_visible_have_one():
    weights = CAUSAL / CAUSAL.sum(axis=1, keepdims=True)
    assert evenness(weights.astype(np.float32), CAUSAL) == pytest.approx(1, abs=1e-6)


def test_rows_that_look_at_one_key_have_zero():
    assert evenness(np.eye(3, dtype=np.float32), CAUSAL) == 0


def test_rows_are_averaged_each_as_a_share_of_its_own_largest_entropy():
    weights = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]], np.float32)
    # Row 0 has no choice; row 1 is even over two keys; row 2 over two of three.
    assert evenness(weights, CAUSAL) == pytest.approx((1 + math.log(2) / math.log(3)) / 2)


@pytest.mark.parametrize("visible", [np.ones((2, 1), bool), np.zeros((2, 3), bool)])
def test_rows_without_a_choice_give_zero(visible):
    assert evenness(visible.astype(np.float32), visible) == 0


@given(seed=st.integers(0, 500), spread=st.floats(0.05, 5))
def test_evenness_is_between_zero_and_one(seed, spread):
    weights = np.random.default_rng(seed).dirichlet(np.full(5, spread), size=4)
    found = evenness(weights.astype(np.float32), np.ones((4, 5), bool))
    assert 0 <= found <= 1 + 1e-6


def test_order_of_the_keys_does_not_matter():
    weights = np.random.default_rng(0).dirichlet(np.ones(5), size=4).astype(np.float32)
    everything = np.ones((4, 5), bool)
    assert evenness(weights[:, ::-1], everything) == pytest.approx(evenness(weights, everything))
