import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tasks import TASKS, task_named, translation
from core.tasks.copying import MAX_LENGTH
from core.tasks.corpus import Corpus
from core.tasks.familiarity import familiarity, is_measured, longest_learned, nearest_words
from core.tasks.mixed import Mixed
from core.tasks.task import Sample

WORDS = st.text("abcd", min_size=1, max_size=6)


@pytest.mark.parametrize("name", ["copy", "reverse", "translate"])
def test_a_sentence_that_the_task_makes_is_familiar(name):
    task = TASKS[name]
    for sample in task.held_out_samples(20):
        found = familiarity(task, sample.source)
        assert found.made
        assert len(sample.source.split()) <= longest_learned(task)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("translate", "The trophy didn't fit in the suitcase."), ("copy", "dogs"), ("copy", "a b c")],
)
def test_another_sentence_is_not(name, sentence):
    assert not familiarity(TASKS[name], sentence).made


def test_letters_to_copy_are_too_many_when_there_are_more_than_in_training():
    rng = random.Random(0)
    letters = " ".join(rng.choices("abc", k=MAX_LENGTH + 1))
    found = familiarity(TASKS["copy"], letters)
    assert not found.made
    assert longest_learned(TASKS["copy"]) == MAX_LENGTH


def test_of_own_pairs_the_longest_source_is_known():
    pairs = Corpus("own", [Sample(f"{n}" + " a" * (n % 7), f"b {n}") for n in range(60)])
    assert longest_learned(pairs) == max(len(each.source.split()) for each in pairs.part("train"))


def test_a_file_of_pairs_makes_no_sentences():
    pairs = [Sample(f"a{n}", f"b{n}") for n in range(30)]
    assert familiarity(Corpus("own", pairs), "a1") is None
    assert familiarity(None, "a1") is None


def test_a_model_that_learned_other_pairs_too_is_not_held_to_the_grammar():
    sentence = "I love you."
    assert familiarity(TASKS["everyday"], sentence) is None
    assert not is_measured(TASKS["everyday"], sentence)
    assert is_measured(TASKS["everyday"], TASKS["everyday"].examples[0].source)


def test_an_english_sentence_with_two_translations_is_one_of_the_grammar(monkeypatch):
    two = [Sample("It slept.", "Il dormait."), Sample("It slept.", "Elle dormait.")]
    monkeypatch.setattr(translation, "derivations", lambda source: iter(two))
    task = TASKS["translate"]
    assert task.reference("It slept.") is None
    assert familiarity(task, "It slept.").made
    assert is_measured(task, "It slept.")


def test_beside_own_pairs_the_task_s_sentences_are_what_is_measured():
    pairs = Corpus("own", [Sample(f"a {n}", f"b {n}") for n in range(60)])
    task = Mixed(TASKS["everyday"], pairs)
    assert familiarity(task, "a 1") is None
    assert not is_measured(task, "a 1")
    assert is_measured(task, TASKS["everyday"].examples[1].source)
    known = pairs.known()[0].source
    assert is_measured(pairs, known)
    assert not is_measured(pairs, "nobody said so")
    assert not is_measured(None, known)


@given(WORDS, st.sets(WORDS, max_size=30), st.integers(1, 4))
def test_nearest_words_are_known_begin_alike_and_are_never_the_word_itself(word, known, n):
    found = nearest_words(word, known, n)
    assert len(found) <= n
    assert set(found) <= known - {word}
    assert all(each[0] == word[0] and abs(len(each) - len(word)) <= 2 for each in found)


def test_one_letter_too_many_too_few_and_two_swapped_are_found_among_many():
    known = {f"{a}{b}{c}" for a in "stuv" for b in "aeiou" for c in "lmnr"} | {"street", "animal"}
    for typed, meant in [("strreet", "street"), ("steet", "street"), ("aniaml", "animal")]:
        assert nearest_words(typed, known)[0] == meant


def test_of_a_corpus_whose_pairs_are_gone_nobody_knows_the_longest(tmp_path):
    (tmp_path / "test.tsv").write_text("source\ttarget\na b\tc\n")
    assert longest_learned(task_named("pairs.tsv", tmp_path)) is None
