import time

import pytest

from core.jobs.job import JobError
from core.studies.experiments import EXPERIMENTS, job, running
from core.studies.experiments.results import Results
from tests.core.studies.experiments.test_running import TINY, few

__all__ = ["few"]


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setitem(EXPERIMENTS, TINY.name, TINY)


def test_an_experiment_tells_how_far_it_is_and_leaves_its_results(tmp_path, tiny):
    done = []
    for part in job.experiment_run(tmp_path, TINY.name, "1"):
        found = job.RUNNING.status(tmp_path)
        assert found.alive
        assert (found.done, found.of) == (part, 2 * job.PARTS)
        done.append(part)
    assert done == list(range(1, 2 * job.PARTS + 1))
    assert Results.load(tmp_path / "tiny.json").seeds == (0,)
    assert job.RUNNING.status(tmp_path).state == "idle"


def test_a_stopped_experiment_goes_on_where_it_was(tmp_path, tiny):
    parts = job.experiment_run(tmp_path, TINY.name, "1")
    while next(parts) < job.PARTS:
        pass
    job.RUNNING.ask(tmp_path, "stop")
    assert not list(parts)
    assert not (tmp_path / "tiny.json").exists()
    begun = (tmp_path / "base-0.json").stat().st_mtime_ns
    assert list(job.experiment_run(tmp_path, TINY.name, "1"))
    assert (tmp_path / "base-0.json").stat().st_mtime_ns == begun
    assert (tmp_path / "tiny.json").exists()


def test_two_processes_do_not_run_one_experiment(tmp_path, tiny):
    parts = job.experiment_run(tmp_path, TINY.name, "1")
    next(parts)
    with pytest.raises(JobError, match="running this experiment"):
        next(job.experiment_run(tmp_path, TINY.name, "1"))


def test_a_process_of_its_own_begins_and_can_be_stopped(tmp_path):
    folder = tmp_path / "new" / "order"
    job.start(EXPERIMENTS["guide"], folder, 1)
    assert job.RUNNING.at_work(folder)
    job.RUNNING.ask(folder, "stop")
    for _ in range(1200):
        if not job.RUNNING.at_work(folder):
            break
        time.sleep(0.25)
    assert not job.RUNNING.at_work(folder)
    assert job.RUNNING.status(folder).state == "idle"
    assert not running.run_of(folder, EXPERIMENTS["guide"].variant("first")).exists()
