"""One try at a time, for all visitors."""

import math
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.tasks import TASKS, Sample
from core.tasks.corpus import Corpus
from core.training import stopwatch
from core.training.presets import PRESETS
from core.training.settings import with_settings
from core.training.stopwatch import OWNER, SECONDS_NEW, Stopwatch

TINY, COPY = PRESETS["tiny"], TASKS["copy"]


class Tried:
    """In place of the processes: what was begun, and whether it goes on."""

    def __init__(self):
        self.begun, self.goes_on, self.finds = [], True, 0.25

    def start(self, folder):
        self.begun.append(folder)

    def at_work(self, _folder):
        return self.goes_on


@pytest.fixture
def tried(monkeypatch, tmp_path):
    found = Tried()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(stopwatch, "TIMING", found)
    monkeypatch.setattr(stopwatch, "found", lambda _: found.finds)
    return found


def test_what_was_tried_once_is_known(tried):
    watch = Stopwatch()
    assert watch.seconds(COPY, TINY) is None
    assert watch.seconds(COPY, TINY) is None
    tried.goes_on = False
    assert watch.seconds(COPY, TINY) == 0.25
    assert len(tried.begun) == 1
    assert not tried.begun[0].exists()


def test_a_second_try_waits_for_the_first(tried):
    watch, other = Stopwatch(), with_settings(TINY, {"n_heads": 2})
    assert watch.seconds(COPY, TINY) is watch.seconds(COPY, other) is None
    assert len(tried.begun) == 1
    tried.goes_on = False
    assert watch.seconds(COPY, other) is None
    assert len(tried.begun) == 2
    assert watch.seconds(COPY, other) == watch.seconds(COPY, TINY) == 0.25


def test_what_a_step_takes_no_longer_for_is_not_tried_again(tried, tmp_path):
    watch, longer = Stopwatch(), with_settings(TINY, {"steps": 5000, "seed": 3})
    watch.seconds(COPY, TINY)
    tried.goes_on = False
    assert watch.seconds(COPY, longer) == 0.25
    pairs = [Sample(f"{n}", "x") for n in range(30)]
    for task in (Corpus("mine", pairs), Corpus("mine", pairs[:20]), TASKS["reverse"]):
        watch.seconds(task, TINY)
    assert len(tried.begun) == 4
    watch.seconds(COPY, TINY, tmp_path)
    assert len(tried.begun) == 5


def test_what_failed_is_no_number_and_is_not_tried_for_ever(tried):
    watch = Stopwatch()
    watch.seconds(COPY, TINY)
    tried.goes_on, tried.finds = False, None
    assert math.isnan(watch.seconds(COPY, TINY))
    assert math.isnan(watch.seconds(COPY, TINY))
    assert len(tried.begun) == 1


def test_only_so_many_are_remembered(tried, monkeypatch):
    monkeypatch.setattr(stopwatch, "REMEMBERED", 2)
    watch, tried.goes_on = Stopwatch(), False
    presets = [with_settings(TINY, {"d_ff": width}) for width in (100, 200, 300)]
    for preset in (*presets, presets[2]):
        watch.seconds(COPY, preset)
    assert watch.seconds(COPY, presets[1]) == 0.25
    assert watch.seconds(COPY, presets[0]) is None


@pytest.fixture
def left(tried, tmp_path):
    """A folder that an app left long ago, when it was killed."""
    tried.goes_on = False
    folder = tmp_path / "steps-left"
    folder.mkdir()
    (folder / OWNER).touch()
    return aged(folder)


def aged(folder):
    long_ago = time.time() - 2 * SECONDS_NEW
    os.utime(folder / OWNER, (long_ago, long_ago))
    return folder


def test_what_a_killed_app_has_left_is_removed(left):
    Stopwatch()
    assert not left.exists()


def test_a_folder_whose_process_is_at_work_stays(left, tried):
    tried.goes_on = True
    Stopwatch()
    assert left.exists()


def test_a_folder_of_an_app_that_lives_stays_also_when_its_try_has_ended(tried):
    watch = Stopwatch()
    watch.seconds(COPY, TINY)
    [folder] = tried.begun
    tried.goes_on = False
    aged(folder)
    Stopwatch()
    assert folder.exists()
    assert watch.seconds(COPY, TINY) == 0.25


def test_a_folder_that_was_made_just_now_stays(left):
    os.utime(left / OWNER)
    Stopwatch()
    assert left.exists()


def test_folders_of_others_stay(left):
    (left / OWNER).unlink()
    (left / "of another program").touch()
    Stopwatch()
    assert left.exists()


def test_a_try_leaves_nothing_behind_where_it_cannot_begin(tried, tmp_path, monkeypatch):
    def failing(*_):
        raise OSError("no space")

    monkeypatch.setattr(stopwatch, "request", failing)
    assert math.isnan(Stopwatch().seconds(COPY, TINY))
    assert not list(tmp_path.iterdir())


def test_another_thread_may_see_the_end(tried):
    watch = Stopwatch()
    with ThreadPoolExecutor(1) as other:
        other.submit(watch.seconds, COPY, TINY).result()
    tried.goes_on = False
    assert watch.seconds(COPY, TINY) == 0.25
    assert not tried.begun[0].exists()
