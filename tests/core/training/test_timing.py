"""A few steps that are tried before a training."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.jobs.job import Status
from core.runs.run import load_run
from core.tasks import TASKS, Sample
from core.tasks.corpus import FEWEST_SOURCES, Corpus
from core.training import timing
from core.training.presets import PRESETS
from core.training.settings import with_settings
from core.training.timing import TIMING, found, request, seconds_per_step

GALLERY = Path(__file__).resolve().parents[3] / "gallery"
PAIRS = Corpus("mine", [Sample(f"cat {n}", f"chat {n}") for n in range(60)])
FEWEST = Corpus("mine", PAIRS.samples[:FEWEST_SOURCES])
TASKS_TRIED = {"made": TASKS["copy"], "as few as can be": FEWEST}
"""Name → task."""


@pytest.mark.parametrize("task", TASKS_TRIED.values(), ids=TASKS_TRIED)
def test_a_step_is_timed_as_often_as_there_is_time(miniature, task, monkeypatch):
    seen = []

    def steps(*arguments, reward):
        assert reward is None
        for step in train(*arguments):
            seen.append(step)
            yield step

    train = timing.train
    monkeypatch.setattr(timing, "train", steps)
    # The steps of an interval that lies around the median of all but the first.
    seconds = seconds_per_step(task, miniature)
    assert len(seen) == timing.MOST
    assert seconds >= sorted(step.seconds for step in seen[1:])[3]
    assert [step.step for step in seen][0] == miniature.training.steps // 2 + 1
    seen.clear()
    monkeypatch.setattr(timing, "SECONDS", 0.0)
    seconds_per_step(task, miniature)
    assert len(seen) == timing.FEWEST


def test_what_grows_in_the_course_of_a_training_is_half_as_large(miniature, monkeypatch):
    shares = []
    sampled = with_settings(miniature, {"scheduled_sampling": 0.5, "steps": 1000})

    def steps(model, optimizer, batches, config, first_step, reward):
        shares.append((first_step, config.scheduled_sampling))
        return train(model, optimizer, batches, config, first_step, reward=reward)

    train = timing.train
    monkeypatch.setattr(timing, "train", steps)
    seconds_per_step(TASKS["copy"], sampled)
    assert shares == [(500, 0.5)]


def test_targets_are_drawn_as_they_are_when_rewards_are_made_large(miniature):
    preset = with_settings(miniature, {"objective": "reinforce", "samples": 2, "batch_size": 2})
    assert seconds_per_step(TASKS["copy"], preset) > 0


def test_what_begins_with_a_run_is_tried_with_its_weights(tmp_path, monkeypatch):
    start = GALLERY / "copy"
    run = load_run(start)
    training = replace(PRESETS["tiny"].training, batch_size=2, objective="reinforce", samples=2)
    preset = replace(PRESETS["tiny"], model=run.settings.model, training=training)
    seen = []

    def steps(model, *arguments, reward):
        seen.append({name: each.clone() for name, each in model.state_dict().items()})
        return train(model, *arguments, reward=reward)

    train = timing.train
    monkeypatch.setattr(timing, "train", steps)
    assert seconds_per_step(TASKS["copy"], preset, start) > 0
    assert all(torch.equal(seen[0][name], each) for name, each in run.model.state_dict().items())
    request(tmp_path, TASKS["copy"], preset, start)
    assert list(timing._tried(tmp_path)) == [None]
    assert found(tmp_path) > 0
    assert len(seen) == 2


def test_a_process_of_its_own_tries_what_its_folder_wants(miniature, tmp_path):
    request(tmp_path, PAIRS, miniature)
    assert found(tmp_path) is None
    TIMING.start(tmp_path)
    deadline = time.monotonic() + 120
    while TIMING.at_work(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert TIMING.status(tmp_path) == Status("idle", 0, 0, "")
    assert 0 < found(tmp_path) < 60


def test_many_pairs_are_tried_on_some_from_everywhere(miniature, tmp_path, monkeypatch):
    monkeypatch.setattr(timing, "LARGEST", 20)
    request(tmp_path, PAIRS, miniature)
    lines = (tmp_path / "pairs.tsv").read_text().splitlines()[1:]
    assert lines == [f"{each.source}\t{each.target}" for each in PAIRS.samples[::3]]


@pytest.mark.parametrize("content", ["", "[]", '{"seconds": "soon"}'])
def test_what_was_not_found_is_not_known(tmp_path, content):
    (tmp_path / "found.json").write_text(content)
    assert found(tmp_path) is None


def test_what_cannot_be_tried_says_why(tmp_path, miniature):
    request(tmp_path, TASKS["copy"], miniature)
    asked = json.loads((tmp_path / "wanted.json").read_text())
    asked["task"] = "nothing"
    (tmp_path / "wanted.json").write_text(json.dumps(asked))
    with pytest.raises(Exception, match="'nothing' is none of the tasks"):
        list(timing._tried(tmp_path))
    status = TIMING.status(tmp_path)
    assert (status.state, found(tmp_path)) == ("failed", None)
