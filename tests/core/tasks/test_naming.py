import itertools
import random

import pytest

from core.tasks import TASKS
from core.tasks.naming import DICTIONARY, HELD_OUT, NAMES, TRAINED, invented_names, translated
from core.tokenizer.word_level import WordTokenizer

TASK = TASKS["names"]


def drawn(n=400):
    return list(itertools.islice(TASK.training_samples(random.Random(2)), n))


def test_a_dictionary_of_26_words_takes_no_word_of_one_language_for_one_of_the_other():
    assert len(DICTIONARY) == 26
    assert len({*DICTIONARY, *DICTIONARY.values()}) == 52
    assert not {*DICTIONARY, *DICTIONARY.values()} & {name.lower() for name in NAMES}


def test_names_are_different_and_always_the_same():
    assert len(set(NAMES)) == len(NAMES) == 240
    assert invented_names(5) == NAMES[:5]
    # What a run was trained on must stay what it was.
    assert NAMES[:3] == ("Batel", "Nabador", "Kebalax")


def test_no_training_sees_a_name_that_is_held_out():
    seen = {word for sample in drawn(2000) for word in sample.source.split()}
    assert seen.isdisjoint(HELD_OUT)
    assert len(seen & set(TRAINED)) > 150


def test_held_out_sentences_have_names_and_each_of_them_is_held_out():
    for sample in TASK.held_out_samples(300):
        names = [word for word in sample.source.split() if word not in DICTIONARY]
        assert names
        assert set(names) <= set(HELD_OUT)


def test_every_sample_is_a_sentence_that_the_task_makes_with_its_reference():
    for sample in drawn():
        assert TASK.makes(sample.source)
        assert TASK.reference(sample.source) == sample.target


def test_links_join_each_word_to_its_translation():
    for sample in drawn():
        for link in sample.links:
            word, said = link.source.of(sample.source), link.target.of(sample.target)
            assert said == DICTIONARY.get(word, word)
        assert len(sample.links) == len(sample.source.split()) == len(sample.target.split())


def test_adjectives_change_places_with_their_nouns():
    sample = translated(["a", "red", "book"])
    assert sample.target == "un livre rouge"
    assert [link.target.of(sample.target) for link in sample.links] == ["un", "livre", "rouge"]


@pytest.mark.parametrize(
    "source",
    ["", "the", "Kowalski", "Kowalski sees", "the red Kowalski sees Otto", "le chien voit Otto",
     "Kowalski sees the dog to Otto", "rouge sees Otto"],
)  # fmt: skip
def test_what_is_no_such_sentence_has_no_reference(source):
    assert not TASK.makes(source)
    assert TASK.reference(source) is None


@pytest.mark.parametrize("example", TASK.examples, ids=lambda example: example.name)
def test_examples_are_sentences_with_names_that_no_training_knows(example):
    assert TASK.makes(example.source)
    assert not set(example.source.split()) & set(NAMES)


def test_all_words_are_in_the_vocabulary():
    tokenizer = WordTokenizer(TASK.vocabulary)
    for sample in drawn(100):
        for text in (sample.source, sample.target):
            assert tokenizer.normalise(text) == text
            assert max(tokenizer.encode(text).ids) < tokenizer.vocab_size - TASK.vocabulary.n_free
