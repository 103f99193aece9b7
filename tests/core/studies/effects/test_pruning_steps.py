import threading

import pytest

from core.runs.run import RunError
from core.studies.effects import pruning_steps
from core.studies.effects.pruning import PruningPoint
from core.studies.effects.pruning_steps import GrowingCurve


def points(n):
    return [PruningPoint(None, left, 1.0, 0.0, 10) for left in range(n, -1, -1)]


def test_each_step_adds_one_point_until_no_head_is_left():
    curve = GrowingCurve(lambda: iter(points(3)), 3)
    seen, shares = [], []
    while not curve.done:
        shares.append(curve.share)
        curve.go_on()
        seen.append([point.n_left for point in curve.points])
    assert seen == [[3], [3, 2], [3, 2, 1], [3, 2, 1, 0]]
    assert shares == sorted(set(shares))
    assert (shares[0], curve.share) == (0.0, 1.0)
    curve.go_on()
    assert len(curve.points) == 4


def in_passes(n):
    for point in points(n):
        if point.n_left < n:
            yield from [None] * (point.n_left + 1)
        yield point


def test_where_time_is_over_a_point_comes_pass_by_pass(monkeypatch):
    monkeypatch.setattr(pruning_steps, "SECONDS", 0)
    curve = GrowingCurve(lambda: in_passes(3), 3)
    found, shares = [], []
    while not curve.done:
        shares.append(curve.share)
        curve.go_on()
        found.append(len(curve.points))
    assert found == [1, 1, 1, 1, 2, 2, 2, 3, 3, 4]
    assert shares == sorted(shares)
    assert (shares[0], curve.share) == (0.0, 1.0)


def test_passes_are_made_until_the_point_is_there(monkeypatch):
    monkeypatch.setattr(pruning_steps, "SECONDS", 1e6)
    curve = GrowingCurve(lambda: in_passes(3), 3)
    for n_points in (1, 2, 3, 4):
        curve.go_on()
        assert len(curve.points) == n_points


def test_what_failed_begins_anew():
    tries = []

    def begin():
        tries.append(None)
        yield points(1)[0]
        if len(tries) == 1:
            raise RunError("gone")
        yield points(1)[1]

    curve = GrowingCurve(begin, 1)
    curve.go_on()
    with pytest.raises(RunError, match="gone"):
        curve.go_on()
    assert curve.points == ()
    curve.go_on()
    curve.go_on()
    assert curve.done


def test_two_who_look_measure_no_point_twice():
    measuring, go_on = threading.Event(), threading.Event()

    def begin():
        measuring.set()
        assert go_on.wait(10)
        yield from points(1)

    curve = GrowingCurve(begin, 1)
    first = threading.Thread(target=curve.go_on)
    first.start()
    assert measuring.wait(10)
    # Somebody else is at it: nothing happens, and nobody waits.
    curve.go_on()
    assert curve.points == ()
    go_on.set()
    first.join()
    assert len(curve.points) == 1
