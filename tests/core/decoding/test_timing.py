import pytest

from core.decoding.choosing import Greedy
from core.decoding.methods import decode
from core.decoding.timing import computed_cells, decoding_cost, measure_times
from core.runs.run import load_run


def test_times_are_measured_for_every_step(model, source_S):
    times = measure_times(model, source_S)
    n_steps = len(decode(model, tuple(source_S.tolist()), Greedy()))
    assert len(times.cached) == len(times.recomputed) == n_steps
    assert min(*times.cached, *times.recomputed, times.one_pass) > 0


def test_cells_are_computed_once_with_a_cache_and_again_without():
    assert sum(map(sum, computed_cells(4, cached=True))) == 1 + 2 + 3 + 4
    # Step n computes a triangle of n rows: 1 + 3 + 6 + 10.
    assert sum(map(sum, computed_cells(4, cached=False))) == 20
    # Of a prompt of two tokens the first triangle has two rows: 3 + 6 + 10.
    assert sum(map(sum, computed_cells(4, cached=False, n_prompt=2))) == 19


@pytest.mark.parametrize("measured", [False, True])
def test_the_cost_of_a_decoder_alone_counts_its_prompt_once(opened_path, measured):
    run = load_run(opened_path("gpt2"))
    cost = decoding_cost(run, "The capital of France is", measured)
    # Five tokens of the prompt go in together, then 23 of the 24 that are written.
    assert (cost.n_fed, cost.n_prompt, cost.n_steps) == (28, 5, 24)
    table = cost.table()
    assert table["step"][:6] == [0, 0, 0, 0, 0, 1]
    assert {len(column) for column in table.values()} == {28}
    assert ("seconds_kept" in table) == measured
