import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.charts.measurements import POINTS, Axes, complete, points, steady, thinned

values = st.floats(-1e6, 1e6)
lines = st.lists(values, min_size=1, max_size=300)


@given(lines, st.integers(2, 40), st.booleans())
def test_thinned_points_are_some_of_the_points_in_their_order(ys, n, log):
    xs = list(range(1, len(ys) + 1))
    kept_xs, kept_ys = thinned(xs, ys, n, log=log)
    assert len(kept_xs) <= n
    assert kept_xs == sorted(set(kept_xs))
    assert kept_ys == [ys[x - 1] for x in kept_xs]


@given(lines, st.integers(2, 40))
def test_the_first_and_the_last_point_always_stay(ys, n):
    xs = list(range(len(ys)))
    kept, _ = thinned(xs, ys, max(n, 2))
    assert (kept[0], kept[-1]) == (xs[0], xs[-1])


@given(lines, st.integers(4, 40), st.booleans())
def test_the_lowest_and_the_highest_point_always_stay(ys, n, log):
    _, kept = thinned(list(range(1, len(ys) + 1)), ys, n, log=log)
    assert (min(kept), max(kept)) == (min(ys), max(ys))


def test_a_spike_stays_in_every_stretch():
    ys = [0.0] * 1000
    spikes = range(50, 1000, 100)
    for spike in spikes:
        ys[spike] = 1.0
    kept, _ = thinned(list(range(1000)), ys, 42)
    assert set(spikes) <= set(kept)


def test_few_points_stay_as_they_are():
    assert thinned([3, 1], [1, 9], 2) == ([3, 1], [1, 9])
    assert thinned([], []) == ([], [])


def test_a_logarithmic_axis_keeps_its_wide_beginning():
    xs = list(range(1, 10_001))
    ys = [float(x % 2) for x in xs]
    on_log = sum(x <= 100 for x in thinned(xs, ys, 80, log=True)[0])
    assert on_log > sum(x <= 100 for x in thinned(xs, ys, 80)[0])


@given(st.lists(st.floats(1e-9, 1e9), max_size=20), st.booleans())
def test_an_axis_holds_all_values(found, log):
    low, high = steady(found, log=log)
    assert low < high
    assert all(low <= value * (1 + 1e-8) and value <= high * (1 + 1e-8) for value in found)


@given(st.lists(st.floats(-1e9, -1e-9) | st.floats(0, 1e9), max_size=20))
def test_an_axis_begins_at_nothing_or_holds_what_is_below(found):
    low, high = steady(found)
    assert low <= 0
    assert low < high
    assert all(value >= low * (1 + 1e-8) for value in found if value < 0)


def test_an_axis_does_not_move_while_the_loss_falls():
    losses = [7.7 * math.exp(-step / 100) for step in range(300)]
    linear = {steady(losses[:n]) for n in range(1, 301)}
    log = [steady(losses[:n], log=True) for n in range(1, 301)]
    assert linear == {(0.0, 8.0)}
    assert sum(a != b for a, b in itertools.pairwise(log)) < 6


def test_x_goes_to_the_planned_step_and_further_only_when_the_steps_do():
    assert steady([10, 20], end=5000) == (0, 5000)
    assert steady([10, 5100], end=5000) == (0, 6000)
    assert steady([10, 20], log=True, end=5000) == (10, 5000)


def test_even_the_smallest_number_has_an_axis():
    low, high = steady([5e-324, 1.0], log=True)
    assert 0 < low < high == 1


def test_nothing_measured_still_makes_an_axis():
    assert steady([]) == (0, 1)
    assert steady([], log=True) == (1, 10)
    assert steady([0.0, -1.0, math.nan], log=True) == (1, 10)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_logarithmic_axis_leaves_out_what_it_has_no_place_for(bad):
    rows = [{"step": 1, "loss": bad}, {"step": 2, "loss": 2.0}]
    assert points(rows, "loss", Axes(log_y=True)) == [{"x": 2, "y": 2.0}]


def test_step_nought_has_no_place_on_a_logarithmic_axis():
    rows = [{"step": 0, "loss": 3.0}, {"step": 2, "loss": 2.0}]
    assert [point["x"] for point in points(rows, "loss", Axes(log_x=True))] == [2]
    assert [point["x"] for point in points(rows, "loss", Axes())] == [0, 2]


def test_what_is_not_finite_is_left_out_of_every_axis():
    rows = [{"step": step, "loss": loss} for step, loss in enumerate([math.nan, math.inf, 1.0])]
    assert points(rows, "loss", Axes()) == [{"x": 2, "y": 1.0}]


def test_shares_are_never_logarithmic():
    rows = [{"step": 1, "held_out_exact_match": 0.0}]
    assert points(rows, "held_out_exact_match", Axes(log_y=True)) == [{"x": 1, "y": 0.0}]


def test_a_line_can_stand_over_the_time_it_took():
    rows = [{"step": 10, "loss": 1.0}, {"step": 20, "seconds": 0.5, "loss": 2.0}]
    assert points(rows, "loss", Axes(over="seconds")) == [{"x": 0.5, "y": 2.0}]


def test_a_long_training_is_thinned():
    rows = [{"step": step, "loss": 1 / (1 + step % 7)} for step in range(10_000)]
    assert 100 < len(points(rows, "loss", Axes())) <= POINTS


def test_a_text_that_is_shown_nowhere_is_refused():
    assert complete({"step": "pas"})["step"] == "pas"
    with pytest.raises(ValueError, match="stepp"):
        complete({"stepp": "pas"})
