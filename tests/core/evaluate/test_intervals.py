"""Intervals of paired differences, against published examples and by drawing many samples."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluate.intervals import difference_of_shares, mean_difference, share_difference, wilson

TABLES = st.tuples(*[st.integers(0, 60)] * 4).filter(any)


def compared(both, lost, won, neither):
    """Compare shares, given the samples that were right both times, lost, won, and never."""
    before = [True] * (both + lost) + [False] * (won + neither)
    after = [True] * both + [False] * lost + [True] * won + [False] * neither
    return share_difference(np.array(before), np.array(after))


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        # Newcombe (1998), method 10.
        ((36, 12, 2, 0), 0.0569, 0.3404),
        # Fagerland, Lydersen and Laake (2017), "Statistical Analysis of Contingency Tables", and
        # its package: response to therapy, Cavo et al. (2012); and one of each.
        ((59, 6, 16, 80), -0.1186, -0.0046),
        ((1, 0, 0, 1), -0.5734, 0.5734),
    ],
)
def test_published_examples_come_out(table, low, high):
    found = compared(*table)
    # They say first − second, we say after − before.
    assert (round(-found.high, 4), round(-found.low, 4)) == (low, high)


@given(TABLES)
def test_the_interval_holds_the_change_and_stays_between_losing_and_winning_all(table):
    found = compared(*table)
    assert found.change == pytest.approx((table[2] - table[1]) / sum(table))
    assert -1 - 1e-12 <= found.low <= found.change + 1e-12
    assert found.change - 1e-12 <= found.high <= 1 + 1e-12
    assert found.n == sum(table)


def test_without_knowing_which_changed_the_interval_is_newcombes_for_independent_shares():
    # Newcombe (1998), "Interval estimation for the difference between independent proportions",
    # method 10.
    found = difference_of_shares(48, 56, 70)
    (low, high), (low_, high_) = wilson(48, 70), wilson(56, 70)
    assert found.low == pytest.approx(8 / 70 - math.hypot(56 / 70 - low_, high - 48 / 70))
    assert found.high == pytest.approx(8 / 70 + math.hypot(high_ - 56 / 70, 48 / 70 - low))
    # Where all were right before, it is known which changed.
    assert difference_of_shares(40, 25, 40) == compared(25, 15, 0, 0)


def test_the_mean_difference_is_that_of_all_parts_and_its_interval_as_computed_by_hand():
    before, after = np.array([2.0, 1.0, 3.0]), np.array([4.0, 1.0, 7.0])
    weight = np.array([2.0, 1.0, 3.0])
    found = mean_difference(before, after, weight)
    assert (found.before, found.after, found.n) == (1.0, 2.0, 3)
    # The change is 1 per part; left over are 2 − 2, 0 − 1, 4 − 3.
    deviation = math.sqrt(3 / 2 * (0 + 1 + 1)) / 6
    assert found.low == pytest.approx(1 - 1.959964 * deviation, abs=1e-6)
    assert found.high == pytest.approx(1 + 1.959964 * deviation, abs=1e-6)
