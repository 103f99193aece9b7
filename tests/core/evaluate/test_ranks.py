import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from core.evaluate.ranks import rank_correlation, ranks

VALUES = st.integers(-3, 3) | st.floats(-10, 10)
LISTS = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*[st.lists(VALUES, min_size=n, max_size=n)] * 2)
)


@given(st.lists(VALUES, min_size=1, max_size=12))
def test_ranks_are_those_of_scipy(values):
    assert ranks(values).tolist() == rankdata(values).tolist()


@given(LISTS)
def test_rank_correlation_is_that_of_scipy_ties_or_not(lists):
    one, other = lists
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert rank_correlation(one, other) is None
    else:
        assert rank_correlation(one, other) == pytest.approx(spearmanr(one, other).statistic)


@given(LISTS)
def test_rank_correlation_is_symmetric_and_knows_no_units(lists):
    one, other = lists
    found = rank_correlation(one, other)
    assert found == rank_correlation(other, one)
    if found is not None:
        assert -1 <= found <= 1
        # Doubling is exact, so that no order changes by rounding.
        assert rank_correlation([2 * x for x in one], other) == pytest.approx(found)
        assert rank_correlation([-x for x in one], other) == pytest.approx(-found)


def test_known_values():
    # Kendall, "Rank Correlation Methods": 1 − 6 Σ d² / (n³ − n), here d = (1, −1, 0).
    assert rank_correlation([1, 2, 3], [2, 1, 3]) == pytest.approx(1 - 6 * 2 / (27 - 3))
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == -1


def test_lists_of_different_length_are_refused():
    with pytest.raises(ValueError, match="2 values with 3"):
        rank_correlation([1, 2], [1, 2, 3])
