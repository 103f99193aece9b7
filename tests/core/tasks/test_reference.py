import random

import pytest

from core.tasks import TASKS, Sample, right_targets
from core.tasks.corpus import Corpus


@pytest.mark.parametrize("name", TASKS)
def test_the_reference_of_a_sample_is_its_target_or_another_that_is_as_right(name):
    task, rng = TASKS[name], random.Random(4)
    for sample in (task.sample(rng) for _ in range(20)):
        assert task.reference(sample.source) in (sample.target, *sample.others)
        assert set(right_targets(task, sample.source)) == {sample.target, *sample.others}


@pytest.mark.parametrize(
    ("name", "source"),
    [("copy", "a dog"), ("reverse", "A b"), ("copy", ""), ("translate", "Hello world.")],
)
def test_what_the_task_does_not_know_has_no_reference(name, source):
    assert TASKS[name].reference(source) is None


def test_a_corpus_knows_its_own_pairs():
    corpus = Corpus("pairs", [Sample(f"word {n}", f"mot {n}") for n in range(20)])
    assert corpus.reference(" word 3 ") == "mot 3"
    assert corpus.reference("word 99") is None
