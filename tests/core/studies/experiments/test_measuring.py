from dataclasses import replace

from core.studies.experiments import measuring, running
from core.studies.experiments.results import Results
from tests.core.studies.experiments.test_running import TINY, few

__all__ = ["few"]


def test_lengths_that_training_never_draws_are_measured_too(tmp_path):
    beyond = replace(TINY, beyond=(18, 24))
    list(running.run_experiment(beyond, tmp_path, 1))
    for each in Results.load(tmp_path / "tiny.json").trained:
        n_of = {length: n for length, n, _right in each.by_length}
        assert {18: n_of[18], 24: n_of[24]} == dict.fromkeys((18, 24), measuring.N_BEYOND)
        assert sum(n for length, n in n_of.items() if length <= 16) == 30
