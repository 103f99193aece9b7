import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.studies.lessons.scaling import (
    MOST,
    N_KEYS,
    WIDTHS,
    ScoresError,
    jacobian,
    read_scores,
    sampled_widths,
    softmax,
)


@pytest.mark.parametrize(
    "text", ["1, 2.5, -3", "1 2.5 −3", " 1;2.5 ;\t-3,", "1e0,25e-1,-3.0", "+1,,2.5,,-3"]
)
def test_numbers_are_read_however_they_are_set_apart(text):
    assert read_scores(text).tolist() == [1, 2.5, -3]


@pytest.mark.parametrize("text", ["", "1, two", "1, inf", "1e7", "1 " * (MOST + 1)])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(ScoresError, match="Type 1 to 16 numbers"):
        read_scores(text)


@given(scores=st.lists(st.floats(-20, 20), min_size=1, max_size=16))
def test_the_jacobian_is_what_finite_differences_give(scores):
    scores, step = np.array(scores), 1e-6
    moved = scores + step * np.eye(len(scores)), scores - step * np.eye(len(scores))
    measured = (softmax(moved[0]) - softmax(moved[1])).T / (2 * step)
    assert jacobian(softmax(scores)) == pytest.approx(measured, abs=1e-8)


def test_what_is_sampled_is_near_theory_and_that_of_the_jacobians_themselves():
    found = sampled_widths(40, seed=3)
    assert [each.d_k for each in found] == list(WIDTHS) == [2**i for i in range(11)]
    random = np.random.default_rng(3)
    for each in found:
        query = random.standard_normal((40, each.d_k), dtype=np.float32).astype(float)
        key = random.standard_normal((40, N_KEYS, each.d_k), dtype=np.float32).astype(float)
        scores = (key @ query[:, :, None])[..., 0]
        assert each.variance_unscaled == pytest.approx(scores.var(), rel=1e-3)
        assert each.variance_unscaled == pytest.approx(each.d_k, rel=0.6)
        assert each.variance_scaled == pytest.approx(each.variance_unscaled / each.d_k)
        sides = {1: each.gradient_unscaled, math.sqrt(each.d_k): each.gradient_scaled}
        for divisor, measured in sides.items():
            outputs = [softmax(row / divisor) for row in scores]
            norms = [np.linalg.norm(np.diag(y) - np.outer(y, y)) for y in outputs]
            assert measured == pytest.approx(np.mean(norms), rel=1e-3, abs=1e-12)
