import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.studies.lessons.scaling import (
    LARGEST,
    MOST,
    N_KEYS,
    WIDTHS,
    ScoresError,
    jacobian,
    jacobian_norms,
    read_scores,
    response,
    sampled_widths,
    softmax,
    why_scale,
)

SCORES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=16)


@pytest.mark.parametrize(
    "text", ["1, 2.5, -3", "1 2.5 −3", " 1;2.5 ;\t-3,", "1e0,25e-1,-3.0", "+1,,2.5,,-3"]
)
def test_numbers_are_read_however_they_are_set_apart(text):
    assert read_scores(text).tolist() == [1, 2.5, -3]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "There are no scores"),
        (" ,; ", "There are no scores"),
        ("1, two", "“two” is not a number"),
        ("1_000", "“1_000” is not a number"),
        ("0x10", "is not a number"),
        ("1, inf", "“inf” is not a finite number"),
        ("nan", "“nan” is not a finite number"),
        ("-1e999", "is not a finite number"),
        ("1e7", "“1e7” is too large"),
        ("x" * 500, "…” is not a number"),
        ("1 " * (MOST + 1), f"There are {MOST + 1} scores; at most {MOST}"),
    ],
)
def test_what_cannot_be_read_is_named(text, complaint):
    with pytest.raises(ScoresError, match=complaint.replace("(", r"\(")) as found:
        read_scores(text)
    assert len(str(found.value)) < 100


def test_the_largest_and_the_most_are_still_read():
    assert read_scores(f"{LARGEST} {-LARGEST}").tolist() == [LARGEST, -LARGEST]
    assert len(read_scores("0 " * MOST)) == MOST


@pytest.mark.parametrize(
    ("scores", "wanted"), [([1e6, 1e6, 2e6], [0, 0, 1]), ([-1e6, -1e6, -2e6], [0.5, 0.5, 0])]
)
def test_huge_scores_do_not_overflow(scores, wanted):
    assert softmax(np.array(scores)).tolist() == wanted


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
    assert np.abs(found.jacobian_KK).max() <= 0.25 + 1e-15
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


def test_without_the_division_scores_are_as_much_larger_as_the_root_of_the_width():
    found = why_scale((1.0, 2.0, 3.0), 64)
    assert found.unscaled.scores_K.tolist() == [8, 16, 24]
    assert found.scaled.scores_K.tolist() == [1, 2, 3]
    assert found.unscaled.norm < 0.01 * found.scaled.norm
    table = found.table()
    assert table["slope"][:9] == found.scaled.jacobian_KK.reshape(-1).tolist()
    assert [each for each in table["d_k"] if each] == list(WIDTHS)
    assert {len(column) for column in table.values()} == {9 + 3 + len(WIDTHS)}


def test_no_entry_is_zero_with_a_sign():
    assert not np.signbit(jacobian(np.array([0.0, 1.0]))).any()
