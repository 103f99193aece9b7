import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.studies.lessons.scaling import (
    DISTRIBUTIONS,
    WIDTHS,
    jacobian,
    jacobian_norms,
    product_variances,
    response,
    sampled_gradients,
    sizes_around,
    softmax,
    stretched_slopes,
    stretched_softmax,
)
from core.studies.lessons.scores import read_scores

SCORES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=16)


@pytest.mark.parametrize(
    ("size", "third"), [(1, 0.5761168847658291), (10, 0.9999092083843412), (100, 1.0)]
)
def test_the_third_output_of_a_a_2a_is_the_known_one(size, third):
    assert stretched_softmax([size])[0, 2] == pytest.approx(third, rel=0, abs=1e-15)


@given(size=st.floats(-1e6, 1e6))
def test_stretched_scores_have_a_closed_form_for_every_size(size):
    [[first, second, third]] = stretched_softmax([size])
    assert first == second
    assert first + second + third == pytest.approx(1, abs=1e-15)
    wanted = 1 / (1 + 2 * math.exp(-size)) if size > -700 else 0
    assert third == pytest.approx(wanted, rel=1e-12, abs=1e-300)


@given(size=st.floats(-20, 20))
def test_slopes_of_stretched_scores_are_those_of_the_curves_over_a(size):
    before, after = stretched_softmax([size - 1e-6, size + 1e-6])
    assert stretched_slopes(size) == pytest.approx((after - before) / 2e-6, abs=1e-8)


@pytest.mark.parametrize(("sign", "third"), [(1, 2 * math.exp(-60)), (-1, math.exp(-60) / 2)])
def test_slopes_of_stretched_scores_keep_their_digits(sign, third):
    assert stretched_slopes(sign * 60) == pytest.approx(
        [-third / 2, -third / 2, third], rel=1e-12, abs=0
    )


@pytest.mark.parametrize(("size", "wanted"), [(1e6, [0, 0, 1]), (-1e6, [0.5, 0.5, 0])])
def test_huge_scores_do_not_overflow(size, wanted):
    assert stretched_softmax([size])[0].tolist() == wanted


def test_softmax_is_the_known_one():
    assert softmax(np.array([3.0, 1.0, -3.0])) == pytest.approx([0.8789, 0.1189, 0.0022], abs=1e-4)


@pytest.mark.parametrize(("size", "ends"), [(5, (0, 12)), (40, (0, 40)), (-7, (-7, 12))])
def test_the_curve_reaches_as_far_as_the_chosen_size(size, ends):
    sizes = sizes_around(size)
    assert (sizes[0], sizes[-1]) == ends
    assert np.ptp(np.diff(sizes)) < 1e-12


@given(scores=st.lists(st.floats(-20, 20), min_size=1, max_size=16))
def test_the_jacobian_is_what_finite_differences_give(scores):
    scores, step = np.array(scores), 1e-6
    moved = scores + step * np.eye(len(scores)), scores - step * np.eye(len(scores))
    measured = (softmax(moved[0]) - softmax(moved[1])).T / (2 * step)
    assert jacobian(softmax(scores)) == pytest.approx(measured, abs=1e-8)


@given(scores=SCORES)
def test_rows_of_the_jacobian_sum_to_zero_and_no_entry_exceeds_a_quarter(scores):
    found = response(np.array(scores))
    assert np.abs(found.jacobian_KK.sum(axis=1)).max() < 1e-14
    assert found.largest <= 0.25 + 1e-15
    assert found.largest == np.abs(found.jacobian_KK).max()
    assert found.norm == pytest.approx(np.linalg.norm(found.jacobian_KK), abs=1e-14)
    assert found.norm <= 0.5 + 1e-15


@pytest.mark.parametrize(
    ("typed", "factor", "norm"), [("1, 2, 3", 0, math.sqrt(2) / 3), ("0, 0, -100", 1, 0.5)]
)
def test_a_tie_of_two_has_the_largest_norm(typed, factor, norm):
    """What the page says to try."""
    assert response(read_scores(typed), factor).norm == pytest.approx(norm, abs=1e-12)


def test_one_hot_outputs_have_no_gradient():
    assert not jacobian(np.array([0.0, 1.0, 0.0])).any()
    assert response(np.array([0.0, 1.0]), factor=1e5).norm == 0


def test_norms_keep_their_digits_where_the_outputs_are_nearly_one_hot():
    # Two scores: every entry is y(1 − y), so the norm is twice that; here y(1 − y) ≈ e^−50.
    assert jacobian_norms(np.array([[50.0, 0.0]]))[0] == pytest.approx(2 * math.exp(-50), rel=1e-12)


def test_slopes_keep_their_digits_where_the_outputs_are_nearly_one_hot():
    slopes = response(np.array([1.0, 1.0, 2.0]), 40.0).jacobian_KK.diagonal()
    assert slopes[2] == pytest.approx(2 * math.exp(-40), rel=1e-12)


def test_a_factor_multiplies_the_scores():
    assert (
        response(np.array([1.0, 2.0]), 5.0).outputs_K.tolist()
        == softmax(np.array([5.0, 10.0])).tolist()
    )


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_sampled_variances_are_near_theory(distribution):
    n = 1000
    found = product_variances(distribution, n, seed=0)
    assert [each.d_k for each in found] == list(WIDTHS) == [2**i for i in range(11)]
    # q·k has at most the kurtosis 9 of a product of two normals: var(s²) ≤ 8 σ⁴ / n.
    bound = 4 * math.sqrt(8 / n)
    for each in found:
        assert each.unscaled == pytest.approx(each.d_k, rel=bound)
        assert each.scaled == pytest.approx(each.unscaled / each.d_k, rel=1e-12)


def test_samples_are_those_of_the_seed():
    assert product_variances("±1", 30, 5) == product_variances("±1", 30, 5)
    assert product_variances("±1", 30, 5) != product_variances("±1", 30, 6)


@pytest.mark.parametrize("average", ["mean", "median"])
def test_sampled_gradients_are_those_of_the_jacobians_themselves(average):
    found = sampled_gradients(4, 10, seed=3, average=average)
    random = np.random.default_rng(3)
    for each in found:
        query = random.standard_normal((10, each.d_k), dtype=np.float32).astype(float)
        key = random.standard_normal((10, 4, each.d_k), dtype=np.float32).astype(float)
        scores = (key @ query[:, :, None])[..., 0]
        for measured, divisor in ((each.unscaled, 1), (each.scaled, math.sqrt(each.d_k))):
            outputs = [
                np.exp(row - row.max()) / np.exp(row - row.max()).sum() for row in scores / divisor
            ]
            norms = [np.linalg.norm(np.diag(y) - np.outer(y, y)) for y in outputs]
            assert measured == pytest.approx(getattr(np, average)(norms), rel=1e-3, abs=1e-12)


def test_without_the_division_wide_vectors_lose_their_gradient():
    found = sampled_gradients(8, 100, seed=0, average="median")
    assert found[-1].unscaled < 1e-3 * found[0].unscaled
    assert 0.8 < found[-1].scaled / found[0].scaled < 1.5


def test_no_entry_is_zero_with_a_sign():
    assert not np.signbit(jacobian(np.array([0.0, 1.0]))).any()
