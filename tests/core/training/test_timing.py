"""A few steps that are tried before a training."""

import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.runs.run import load_run
from core.tasks import TASKS, Sample
from core.tasks.corpus import FEWEST_SOURCES, Corpus
from core.training import timing
from core.training.presets import PRESETS, with_settings
from core.training.timing import Stopwatch, seconds_per_step

GALLERY = Path(__file__).resolve().parents[3] / "gallery"
PAIRS = Corpus("mine", [Sample(f"cat {n}", f"chat {n}") for n in range(60)])
FEWEST = Corpus("mine", PAIRS.samples[:FEWEST_SOURCES])
TINY, COPY = PRESETS["tiny"], TASKS["copy"]
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


def test_targets_are_drawn_as_they_are_when_rewards_are_made_large(miniature):
    preset = with_settings(miniature, {"objective": "reinforce", "samples": 2, "batch_size": 2})
    assert seconds_per_step(TASKS["copy"], preset) > 0


def test_what_begins_with_a_run_is_tried_with_its_weights(monkeypatch):
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


def test_a_process_of_its_own_tries_a_training(miniature):
    watch, deadline = Stopwatch(), time.monotonic() + 120
    while (seconds := watch.seconds(PAIRS, miniature)) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert 0 < seconds < 60


def test_many_pairs_are_tried_on_some_from_everywhere(miniature, monkeypatch):
    monkeypatch.setattr(timing, "LARGEST", 20)
    tried = []
    monkeypatch.setattr(timing, "seconds_per_step", lambda *arguments: tried.append(arguments))
    timing._answer(timing._request(PAIRS, miniature, GALLERY))
    [(corpus, preset, start)] = tried
    assert (list(corpus.samples), preset, start) == ([*PAIRS.samples[::3]], miniature, GALLERY)


class Process:
    """In place of a process that tries a training."""

    def __init__(self, processes):
        self.processes = processes

    def poll(self):
        return None if self.processes.go_on else 0


class Processes:
    def __init__(self):
        self.started, self.go_on, self.answer = 0, True, "0.25"

    def start(self, *_arguments, stdout, **_options):
        self.started += 1
        stdout.write(self.answer.encode())
        return Process(self)


@pytest.fixture
def processes(monkeypatch):
    replaced = Processes()
    monkeypatch.setattr(timing.subprocess, "Popen", replaced.start)
    return replaced


def test_one_training_is_tried_at_a_time_and_remembered(processes):
    watch, other = Stopwatch(), with_settings(TINY, {"n_heads": 2})
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(watch.seconds, COPY, TINY).result() is None
    assert watch.seconds(COPY, TINY) is watch.seconds(COPY, other) is None
    assert processes.started == 1
    processes.go_on = False
    assert watch.seconds(COPY, other) is None
    assert watch.seconds(COPY, other) == watch.seconds(COPY, TINY) == 0.25
    assert processes.started == 2


def test_settings_that_leave_the_time_of_a_step_alone_are_not_tried_again(processes):
    watch, processes.go_on = Stopwatch(), False
    watch.seconds(COPY, TINY)
    assert watch.seconds(COPY, with_settings(TINY, {"steps": 5000, "seed": 3})) == 0.25
    for task, start in [(PAIRS, None), (FEWEST, None), (TASKS["reverse"], None), (COPY, GALLERY)]:
        watch.seconds(task, TINY, start)
    assert processes.started == 5


def test_a_try_that_failed_is_not_repeated(processes):
    watch, processes.answer, processes.go_on = Stopwatch(), "", False
    watch.seconds(COPY, TINY)
    assert math.isnan(watch.seconds(COPY, TINY))
    assert processes.started == 1


def test_the_last_tries_are_remembered(processes, monkeypatch):
    monkeypatch.setattr(timing, "REMEMBERED", 2)
    watch, processes.go_on = Stopwatch(), False
    presets = [with_settings(TINY, {"d_ff": width}) for width in (100, 200, 300)]
    for preset in (*presets, presets[2]):
        watch.seconds(COPY, preset)
    assert watch.seconds(COPY, presets[1]) == 0.25
    assert watch.seconds(COPY, presets[0]) is None
