import pytest

from core.tasks import TASKS, Mixed
from core.tasks.corpus import Corpus
from core.tasks.familiarity import form_missed, is_measured, nearest_words
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


def test_models_of_own_pairs_are_not_held_to_a_form():
    for task in (None, PAIRS, TASKS["everyday"], Mixed(TASKS["everyday"], PAIRS)):
        assert not form_missed(task, "I love you.")


def test_a_sentence_is_measured_where_the_task_makes_it_or_a_pair_has_it():
    example = TASKS["everyday"].examples[1].source
    for task in (TASKS["everyday"], Mixed(TASKS["everyday"], PAIRS)):
        assert is_measured(task, example)
        assert not is_measured(task, "I love you.")
    assert is_measured(PAIRS, "1 a")
    assert not is_measured(PAIRS, "nobody said so")
    assert not is_measured(None, "1 a")


def test_one_letter_too_many_too_few_and_two_swapped_are_found_among_many():
    known = {f"{a}{b}{c}" for a in "stuv" for b in "aeiou" for c in "lmnr"} | {"street", "animal"}
    for typed, meant in [("strreet", "street"), ("steet", "street"), ("aniaml", "animal")]:
        assert nearest_words(typed, known)[0] == meant
