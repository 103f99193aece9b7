from core.decoding.choosing import Greedy
from core.decoding.methods import decode
from core.decoding.timing import computed_cells, measure_times


def test_times_are_measured_for_every_step(model, source_S):
    times = measure_times(model, source_S)
    n_steps = len(decode(model, tuple(source_S.tolist()), Greedy()))
    assert len(times.cached) == len(times.recomputed) == n_steps
    assert min(*times.cached, *times.recomputed, times.one_pass) > 0


def test_cells_are_computed_once_with_a_cache_and_again_without():
    assert sum(map(sum, computed_cells(4, cached=True))) == 1 + 2 + 3 + 4
    # Step n computes a triangle of n rows: 1 + 3 + 6 + 10.
    assert sum(map(sum, computed_cells(4, cached=False))) == 20
