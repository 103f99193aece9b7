import pytest

from core.tasks import TASKS, Mixed
from core.tasks.corpus import Corpus
from core.tasks.familiarity import form_missed, is_measured
from core.tasks.task import Sample

PAIRS = Corpus("own", [Sample(f"{n}" + " a" * (n % 7), f"b {n}") for n in range(60)])


@pytest.mark.parametrize("name", ["copy", "reverse", "translate"])
def test_a_sentence_that_the_task_makes_has_its_form(name):
    for sample in TASKS[name].held_out_samples(20):
        assert not form_missed(TASKS[name], sample.source)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("translate", "The trophy didn't fit in the suitcase."),
        ("copy", "dogs"),
        ("copy", "a b c"),
        ("copy", "a" + " b" * 16),
    ],
)
def test_another_sentence_does_not(name, sentence):
    assert form_missed(TASKS[name], sentence) == TASKS[name].form


def test_a_sentence_is_measured_where_the_task_makes_it_or_a_pair_has_it():
    example = TASKS["everyday"].examples[1].source
    for task in (TASKS["everyday"], Mixed(TASKS["everyday"], PAIRS)):
        assert is_measured(task, example)
        assert not is_measured(task, "I love you.")
    assert is_measured(PAIRS, "1 a")
    assert not is_measured(PAIRS, "nobody said so")
    assert not is_measured(None, "1 a")
