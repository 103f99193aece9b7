import itertools
import random
from copy import copy

import pytest

from core.tasks import TASKS, Sample
from core.tasks.task import Drawn


class Digits(Drawn):
    """Ten samples, of which three are held out."""

    name, pronouns, examples = "digits", frozenset(), ()

    def makes(self, source):
        return True

    def reference(self, source):
        return source

    def sample(self, rng):
        digit = str(rng.randrange(10))
        return Sample(digit, digit)

    def held_out(self, sample):
        return sample.source in "258"


@pytest.mark.parametrize("name", TASKS)
def test_held_out_samples_are_held_out_and_different(name):
    found = TASKS[name].held_out_samples(100)
    assert len({sample.source for sample in found}) == len(found) == 100
    assert all(map(TASKS[name].held_out, found))


@pytest.mark.parametrize("name", TASKS)
def test_training_samples_are_never_held_out(name):
    drawn = itertools.islice(TASKS[name].training_samples(random.Random(3)), 300)
    assert not any(map(TASKS[name].held_out, drawn))


@pytest.mark.parametrize("name", TASKS)
def test_same_seed_gives_the_same_held_out_samples(name):
    random.seed(1)
    first = TASKS[name].held_out_samples(20, seed=4)
    random.seed(2)
    # Another one, which draws them again.
    assert copy(TASKS[name]).held_out_samples(20, seed=4) == first
    assert TASKS[name].held_out_samples(20, seed=5) != first


def test_what_was_held_out_before_is_not_drawn_again_and_stays_as_it_is(monkeypatch):
    task = Digits()
    first = task.held_out_samples(2)
    kept = list(first)
    first.clear()
    monkeypatch.setattr(Digits, "sample", None)
    assert task.held_out_samples(2) == kept


@pytest.mark.parametrize("name", TASKS)
def test_fewer_held_out_samples_are_the_first_of_more(name):
    assert TASKS[name].held_out_samples(30)[:10] == TASKS[name].held_out_samples(10)


def test_a_task_with_few_held_out_samples_gives_all_it_has():
    found = Digits().held_out_samples(50)
    assert sorted(sample.source for sample in found) == ["2", "5", "8"]


def test_every_sample_that_is_not_held_out_is_trained_on():
    drawn = itertools.islice(Digits().training_samples(random.Random(0)), 200)
    assert {sample.source for sample in drawn} == set("0134679")
