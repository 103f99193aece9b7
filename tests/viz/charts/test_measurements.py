import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.charts.measurements import points, thinned_indices


def thinned(xs, ys, n, log=False):
    indices = thinned_indices(xs, ys, n, log=log)
    return [xs[i] for i in indices], [ys[i] for i in indices]


values = st.floats(-1e6, 1e6)
lines = st.lists(values, min_size=1, max_size=300)


@given(lines, st.integers(2, 40), st.booleans())
def test_thinned_points_are_some_of_the_points_in_their_order(ys, n, log):
    xs = list(range(1, len(ys) + 1))
    kept_xs, kept_ys = thinned(xs, ys, n, log=log)
    assert len(kept_xs) <= n
    assert kept_xs == sorted(set(kept_xs))
    assert kept_ys == [ys[x - 1] for x in kept_xs]


@given(lines, st.integers(4, 40), st.booleans())
def test_the_lowest_and_the_highest_point_always_stay(ys, n, log):
    _, kept = thinned(list(range(1, len(ys) + 1)), ys, n, log=log)
    assert (min(kept), max(kept)) == (min(ys), max(ys))


def test_a_logarithmic_axis_keeps_its_wide_beginning():
    xs = list(range(1, 10_001))
    ys = [float(x % 2) for x in xs]
    on_log = sum(x <= 100 for x in thinned(xs, ys, 80, log=True)[0])
    assert on_log > sum(x <= 100 for x in thinned(xs, ys, 80)[0])


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_logarithmic_axis_leaves_out_what_it_has_no_place_for(bad):
    rows = [{"step": 1, "loss": bad}, {"step": 2, "loss": 2.0}]
    assert points(rows, "loss") == [{"x": 2, "y": 2.0}]
