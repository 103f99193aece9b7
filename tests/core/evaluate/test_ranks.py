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
