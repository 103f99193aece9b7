"""One try at a time, for all visitors."""

import math
import time

import pytest

from core.tasks import TASKS, Sample
from core.tasks.corpus import Corpus
from core.training.presets import PRESETS
from core.training.settings import with_settings
from pages.views.training import timing
from pages.views.training.timing import Stopwatch

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
def tried(monkeypatch):
    found = Tried()
    monkeypatch.setattr(timing, "TIMING", found)
    monkeypatch.setattr(timing, "found", lambda _: found.finds)
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


def test_what_a_step_takes_no_longer_for_is_not_tried_again(tried):
    watch, longer = Stopwatch(), with_settings(TINY, {"steps": 5000, "seed": 3})
    watch.seconds(COPY, TINY)
    tried.goes_on = False
    assert watch.seconds(COPY, longer) == 0.25
    pairs = [Sample(f"{n}", "x") for n in range(30)]
    for task in (Corpus("mine", pairs), Corpus("mine", pairs[:20]), TASKS["reverse"]):
        watch.seconds(task, TINY)
    assert len(tried.begun) == 4


def test_what_failed_is_no_number_and_is_not_tried_for_ever(tried):
    watch = Stopwatch()
    watch.seconds(COPY, TINY)
    tried.goes_on, tried.finds = False, None
    assert math.isnan(watch.seconds(COPY, TINY))
    assert math.isnan(watch.seconds(COPY, TINY))
    assert len(tried.begun) == 1


def test_only_so_many_are_remembered(tried, monkeypatch):
    monkeypatch.setattr(timing, "REMEMBERED", 2)
    watch, tried.goes_on = Stopwatch(), False
    presets = [with_settings(TINY, {"d_ff": width}) for width in (100, 200, 300)]
    for preset in (*presets, presets[2]):
        watch.seconds(COPY, preset)
    assert watch.seconds(COPY, presets[1]) == 0.25
    assert watch.seconds(COPY, presets[0]) is None


def test_a_real_try_ends_with_seconds():
    small = with_settings(TINY, {"d_model": 16, "d_ff": 32, "batch_size": 4})
    watch, deadline = Stopwatch(), time.monotonic() + 120
    while (seconds := watch.seconds(COPY, small)) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert 0 < seconds < 60
