"""Trainings in processes of their own, and what their folders tell of them."""

import json
import shutil

import pytest

from core.jobs import job as jobs
from core.runs.checkpoint import LIVE, newest_checkpoint, weights_in
from core.runs.folder import TRAINING, RunFolder
from core.runs.metrics import read_rows
from core.runs.run import RunError, load_run
from core.training.process import dequeue, enqueue, queue, situation, start
from tests.core.conftest import until
from tests.holding import held_elsewhere


@pytest.fixture
def begun(prepare, tmp_path):
    """Return a function that starts a long training; it is ended with the test."""
    paths = []

    def begin(**settings):
        path = prepare(tmp_path / "run", **({"steps": 1_000_000} | settings))
        start(path)
        paths.append(path)
        until(lambda: read_rows(path) or not situation(path).alive)
        return path

    yield begin
    for path in paths:
        if path.exists() and situation(path).alive:
            TRAINING.ask(path, "pause")
        child = jobs._started[path.resolve(), TRAINING]
        child.terminate()
        child.wait()


@pytest.mark.slow
def test_a_training_is_started_paused_and_gone_on_with(begun):
    path = begun()
    assert situation(path).state == "running"
    assert situation(path).steps == 1_000_000
    with pytest.raises(RunError, match="another process is training"):
        start(path)
    TRAINING.ask(path, "pause")
    until(lambda: not situation(path).alive)
    paused = situation(path)
    assert (paused.state, paused.can_go_on) == ("paused", True)
    assert load_run(path).step == paused.step == read_rows(path)[-1]["step"]
    assert not (path / "evaluation.json").exists()
    start(path)
    until(lambda: read_rows(path)[-1]["step"] > paused.step)
    assert situation(path).step > paused.step


@pytest.mark.slow
def test_a_training_that_is_stopped_is_measured(begun):
    path = begun()
    TRAINING.ask(path, "stop")
    until(lambda: not situation(path).alive)
    assert situation(path).state == "stopped"
    assert load_run(path).evaluation["step"] == situation(path).step


def test_a_process_that_ends_while_it_is_asked_is_not_called_interrupted(
    prepare, tmp_path, monkeypatch
):
    path = prepare(tmp_path / "run")
    folder = RunFolder(path)
    folder.write_status("running", 3)

    def ends_now(self, path):
        folder.write_status("paused", 7)
        return False

    monkeypatch.setattr(jobs.Job, "is_held", ends_now)
    found = situation(path)
    assert (found.state, found.step) == ("paused", 7)


@pytest.mark.slow
def test_live_weights_are_written_only_while_somebody_watches(begun):
    path = begun(checkpoint_every=1_000_000)
    assert weights_in(path, LIVE) == []
    TRAINING.watch(path)
    until(lambda: weights_in(path, LIVE))
    assert newest_checkpoint(path) is None


def test_a_held_folder_is_at_work_whatever_its_clock_says(prepare, tmp_path):
    path = prepare(tmp_path / "run")
    status = {"state": "running", "step": 3}
    (path / "status.json").write_text(json.dumps(status))
    assert situation(path).state == "interrupted"
    with held_elsewhere(path):
        assert (situation(path).state, situation(path).step) == ("running", 3)


def test_a_damaged_status_is_named_and_no_figure_of_it_shown(copy_folder, tmp_path):
    path = shutil.copytree(copy_folder, tmp_path / "run")
    (path / "status.json").write_text("{")
    found = situation(path)
    assert (found.state, found.step) == ("interrupted", 30)
    assert found.message == "status.json is damaged"
    assert found.can_go_on


def test_what_stopped_early_has_nothing_left_to_do(prepare, tmp_path):
    path = prepare(tmp_path / "run")
    status = {"state": "finished", "step": 7, "message": "stopped early: …"}
    (path / "status.json").write_text(json.dumps(status))
    assert not situation(path).can_go_on
    (path / "status.json").write_text(json.dumps(status | {"message": ""}))
    assert situation(path).can_go_on


def test_runs_wait_in_the_order_in_which_they_came(tmp_path):
    paths = [tmp_path / name for name in ("c", "a", "b")]
    for path in paths:
        path.mkdir()
        enqueue(path)
    assert queue(sorted(paths)) == paths
    dequeue(paths[0])
    dequeue(paths[0])
    assert queue(paths) == paths[1:]
