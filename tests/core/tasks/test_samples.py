"""What holds for the samples of every task that draws its own."""

import hashlib
import itertools
import random
import re
from copy import copy

import pytest

from core.tasks import TASKS, CorpusError, right_targets, task_named
from core.tasks.task import is_in_test_part

# Written down once: models were trained on these samples, and measured on those held out.
DIGESTS = {
    "copy": "0c452847db1d4816",
    "reverse": "b33cb03013239b6c",
    "either": "70fd581919a9b678",
    "define": "30ee7d7f7a33994c",
    "names": "b48f73b65d5e1c37",
    "tag": "d63a5b35fe0122bf",
    "classify": "c0d0e257678e9a4d",
    "digits": "7608f235d7754227",
    "translate": "97a314fc4a6f0d64",
    "everyday": "97a314fc4a6f0d64",
}


@pytest.fixture(params=TASKS, scope="module")
def task(request):
    return TASKS[request.param]


def test_the_samples_of_a_seed_never_change(task):
    rng = random.Random(7)
    samples = [task.sample(rng) for _ in range(300)]
    samples += task.held_out_samples(50, seed=7)
    digest = hashlib.sha256(repr([*samples, rng.random()]).encode()).hexdigest()[:16]
    assert digest == DIGESTS[task.name]


def test_held_out_samples_are_held_out_different_and_the_first_of_more(task):
    found = task.held_out_samples(100)
    assert len({sample.source for sample in found}) == len(found) == 100
    assert all(map(task.held_out, found))
    assert task.held_out_samples(10) == found[:10]
    # Another one, which draws them again.
    assert copy(task).held_out_samples(100) == found != task.held_out_samples(100, seed=5)


def test_training_samples_are_never_held_out(task):
    drawn = itertools.islice(task.training_samples(random.Random(3)), 300)
    assert not any(map(task.held_out, drawn))


def test_the_reference_of_a_sample_is_its_target_or_another_right_one(task):
    rng = random.Random(4)
    for sample in (task.sample(rng) for _ in range(20)):
        assert task.makes(sample.source)
        assert task.reference(sample.source) in (sample.target, *sample.others)
        assert set(right_targets(task, sample.source)) == {sample.target, *sample.others}


@pytest.mark.parametrize(("name", "fewest", "most"), [("copy", 4, 16), ("either", 6, 12)])
def test_rows_have_lengths_of_a_range_and_longer_ones_can_be_asked_for(name, fewest, most):
    rng = random.Random(1)
    rows = [TASKS[name].sample(rng).source for _ in range(500)]
    assert {len(row.split()) for row in rows} == set(range(fewest, most + 1))
    longer = TASKS[name].of_length(rng, 40)
    assert len(longer.source.split()) == 40
    assert not TASKS[name].makes(longer.source)


def test_the_coin_between_copying_and_reversing_is_fair():
    rng = random.Random(2)
    drawn = [TASKS["either"].sample(rng) for _ in range(2000)]
    copied = sum(each.target == each.source for each in drawn)
    # Four standard deviations of 2000 fair coins: 4 √(2000 / 4) = 89.
    assert abs(copied - 1000) < 90
    assert all({each.target, *each.others} == {each.source, each.source[::-1]} for each in drawn)


def test_the_split_by_hash_never_changes():
    # Written down once: if this changes, runs trained before have seen what is now called unseen.
    keys = [f"key {number}" for number in range(20_000)]
    assert [key for key in keys[:40] if is_in_test_part(key)] == ["key 1", "key 9"]
    salted = [key for key in keys[:40] if is_in_test_part(key, "25")]
    assert salted == ["key 2", "key 3", "key 4"]
    # Standard deviation of the share: sqrt(0.1 · 0.9 / 20000) = 0.002; four of them.
    assert abs(sum(map(is_in_test_part, keys)) / len(keys) - 0.1) < 0.0085


def test_a_name_that_is_no_task_is_refused_with_the_tasks(tmp_path):
    for name in ("paste", str(tmp_path), ""):
        with pytest.raises(CorpusError, match=re.escape(repr(name))) as refused:
            task_named(name)
        assert "copy, reverse, either, define, names, tag, classify, digits, translate" in str(
            refused.value
        )
