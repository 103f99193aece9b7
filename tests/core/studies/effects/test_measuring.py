"""Heads measured in processes of their own, and what the run's folder tells of them."""

import json
import shutil
import sys
import time

import pytest
import torch

from core.jobs import job as jobs
from core.jobs import process as work
from core.runs.checkpoint import save_weights
from core.runs.run import RunError, load_run
from core.studies.effects import measuring
from core.studies.effects.head_effects import head_effects
from core.studies.effects.measuring import MEASURING, measured_effects, start
from core.studies.effects.stored import HEADS, stored_effects

SECONDS = 300
# As they are called in folders that exist.
LOCK, PROGRESS, LOG = "heads.lock", "heads.progress", "heads.log"


def until(condition):
    """Wait until something holds; the limit only ends a test that would never end."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


@pytest.fixture
def path(copy_folder, tmp_path):
    path = shutil.copytree(copy_folder, tmp_path / "run")
    yield path
    child = jobs._started.pop((path.resolve(), MEASURING), None)
    if child is not None:
        child.kill()
        child.wait()


def names(path):
    return {each.name for each in path.iterdir()}


def test_it_is_measured_in_the_background_and_leaves_the_result_alone(path):
    before = names(path)
    assert MEASURING.status(path).state == "idle"
    start(path, 5, 2)
    assert MEASURING.status(path).state == "running"
    until(lambda: MEASURING.status(path).state != "running")
    assert MEASURING.status(path).state == "idle"
    assert names(path) - before == {HEADS}
    found = stored_effects(load_run(path))
    assert (found.n, found.seed, found.step) == (5, 2, 30)
    assert found.heads == tuple(head_effects(load_run(path), 5, 2))


def test_only_one_process_measures_a_run_and_a_killed_one_can_be_started_again(path):
    start(path, 50_000)
    child = jobs._started[path.resolve(), MEASURING]
    until((path / LOCK).exists)
    with pytest.raises(RunError, match="another process is measuring"):
        start(path)
    # Known by the lock also to an app that did not start it.
    jobs._started.clear()
    until(lambda: MEASURING.status(path).state == "running")
    with pytest.raises(RunError, match="another process is measuring"):
        start(path)
    with pytest.raises(RunError, match="another process is measuring"):
        next(measured_effects(load_run(path), 3))
    child.kill()
    child.wait()
    assert MEASURING.status(path).state == "interrupted"
    start(path, 3)
    until(lambda: MEASURING.status(path).state != "running")
    assert stored_effects(load_run(path)).n == 3


def test_progress_is_told_head_by_head(path):
    run = load_run(path)
    told = []
    for _ in measured_effects(run, 3):
        found = MEASURING.status(path)
        told.append((found.state, found.done, found.of))
    assert told == [("running", done, 8) for done in range(1, 9)]
    assert MEASURING.status(path).state == "idle"
    assert names(path) & {LOCK, PROGRESS, LOG} == set()


def test_who_stops_in_between_leaves_no_result_and_no_hold(path):
    steps = measured_effects(load_run(path), 3)
    next(steps)
    steps.close()
    found = MEASURING.status(path)
    assert (found.state, found.done, found.of) == ("interrupted", 1, 8)
    assert not (path / HEADS).exists()
    assert len(list(measured_effects(load_run(path), 3))) == 8


def test_what_is_stored_stays_until_something_new_is_whole(path):
    list(measured_effects(load_run(path), 3))
    steps = measured_effects(load_run(path), 4)
    next(steps)
    steps.close()
    assert stored_effects(load_run(path)).n == 3


def test_a_folder_that_cannot_be_written_to_is_an_error_before_anything_is_measured(
    path, monkeypatch
):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(jobs, "write_atomically", refuse)
    with pytest.raises(OSError, match="Permission denied"):
        start(path)
    assert (path.resolve(), MEASURING) not in jobs._started
    with pytest.raises(OSError, match="Permission denied"):
        next(measured_effects(load_run(path)))
    assert MEASURING.status(path).state == "idle"


def test_a_lock_that_cannot_be_taken_is_an_error(path):
    (path / LOCK).mkdir()
    with pytest.raises(OSError):
        next(measured_effects(load_run(path)))
    assert MEASURING.status(path).state == "idle"


def test_why_it_failed_is_told(path, capsys):
    [weights] = (path / "checkpoints").glob("step-00000030.safetensors")
    weights.write_bytes(b"torn")
    assert work.main(MEASURING, measuring._process, [str(path), "3", "0"]) == 2
    assert "damaged" in capsys.readouterr().err
    assert MEASURING.status(path).state == "failed"
    assert "step-00000030.safetensors is damaged" in MEASURING.status(path).message


def test_a_process_that_dies_at_once_has_said_why(path, monkeypatch, tmp_path):
    monkeypatch.setattr(jobs, "ROOT", tmp_path)
    start(path)
    until(lambda: MEASURING.status(path).state != "running")
    assert MEASURING.status(path).state == "interrupted"
    assert "No module named" in MEASURING.status(path).message


def test_who_comes_second_leaves_what_the_first_tells(path, capsys):
    steps = measured_effects(load_run(path), 3)
    next(steps)
    assert work.main(MEASURING, measuring._process, [str(path), "3", "0"]) == 2
    assert "another process is measuring" in capsys.readouterr().err
    found = MEASURING.status(path)
    assert (found.state, found.done, found.of, found.message) == ("running", 1, 8, "")
    assert len(list(steps)) == 7
    assert MEASURING.status(path).state == "idle"


def test_what_was_measured_of_another_run_is_not_stored_under_its_name(path):
    steps = measured_effects(load_run(path), 3)
    next(steps)
    changed = load_run(path).model
    with torch.no_grad():
        next(changed.parameters()).view(-1)[0] += 1
    save_weights(changed, path / "checkpoints" / "step-00000030.safetensors")
    with pytest.raises(RunError, match="the weights have changed"):
        list(steps)
    assert not (path / HEADS).exists()
    assert not MEASURING.at_work(path)


@pytest.mark.parametrize(("n", "all_there_are"), [(3, False), (10_000_000, True)])
def test_whether_the_task_has_no_more_sentences_is_told(path, monkeypatch, n, all_there_are):
    monkeypatch.setattr(
        measuring, "head_effects", lambda run, n, seed: head_effects(run, min(n, 4), seed)
    )
    list(measured_effects(load_run(path), n))
    assert stored_effects(load_run(path)).all_there_are is all_there_are


@pytest.mark.parametrize("text", ["", "{", "[]", '{"done": "x", "of": 3}', '{"of": 3}'])
def test_damaged_progress_is_none(path, text):
    (path / PROGRESS).write_text(text)
    found = MEASURING.status(path)
    assert (found.state, found.done, found.of) == ("interrupted", 0, 0)


def test_no_run_is_refused_and_no_folder_comes_into_being(tmp_path):
    with pytest.raises(RunError):
        start(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_folder_that_is_removed_does_not_come_back(path):
    run = load_run(path)
    shutil.rmtree(path)
    with pytest.raises(RunError, match="no such folder"):
        next(measured_effects(run))
    assert not path.exists()


def test_the_process_is_given_what_was_asked(path, monkeypatch):
    asked = []
    popen = jobs.subprocess.Popen

    def keep(command, **settings):
        asked.extend(command)
        return popen([sys.executable, "-c", ""], **settings)

    monkeypatch.setattr(jobs.subprocess, "Popen", keep)
    start(path, 7, 9)
    assert asked[1:] == [
        "-m",
        "core.studies.effects.measuring",
        str(path.resolve()),
        "7",
        "9",
    ]
    told = json.loads((path / PROGRESS).read_text())
    assert (told["state"], told["message"]) == ("starting", "")
