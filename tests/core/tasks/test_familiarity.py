import pytest
from hypothesis import strategies as st

from core.tasks import TASKS, Mixed, task_named
from core.tasks.corpus import Corpus
from core.tasks.familiarity import familiarity, is_measured, longest_learned, nearest_words
from core.tasks.task import Sample

WORDS = st.text("abcd", min_size=1, max_size=6)
PAIRS = Corpus("own", [Sample(f"{n}" + " a" * (n % 7), f"b {n}") for n in range(60)])


@pytest.mark.parametrize("name", ["copy", "reverse", "translate"])
def test_a_sentence_that_the_task_makes_is_familiar(name):
    task = TASKS[name]
    longest = longest_learned(task)
    for sample in task.held_out_samples(20):
        assert familiarity(task, sample.source).made
        assert len(sample.source.split()) <= longest


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("translate", "The trophy didn't fit in the suitcase."),
        ("copy", "dogs"),
        ("copy", "a b c"),
        ("copy", "a" + " b" * 16),
    ],
)
def test_another_sentence_is_not(name, sentence):
    assert not familiarity(TASKS[name], sentence).made


def test_the_longest_source_of_a_training_is_known_where_its_pairs_are(tmp_path):
    assert longest_learned(TASKS["copy"]) == 16
    assert longest_learned(PAIRS) == max(len(each.source.split()) for each in PAIRS.part("train"))
    (tmp_path / "test.tsv").write_text("source\ttarget\na b\tc\n")
    assert longest_learned(task_named("pairs.tsv", tmp_path)) is None


def test_models_of_own_pairs_are_not_held_to_a_form():
    beside = Mixed(TASKS["everyday"], PAIRS)
    assert familiarity(None, "a1") is None
    assert familiarity(PAIRS, "a1") is None
    assert familiarity(TASKS["everyday"], "I love you.") is None
    assert familiarity(beside, "1 a") is None


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
