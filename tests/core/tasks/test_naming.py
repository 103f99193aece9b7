import itertools
import random

import pytest

from core.tasks import TASKS
from core.tasks.naming import DICTIONARY, HELD_OUT, NAMES, TRAINED, translated

TASK = TASKS["names"]


@pytest.fixture(scope="module")
def drawn():
    return list(itertools.islice(TASK.training_samples(random.Random(2)), 2000))


def test_no_training_sees_a_name_that_is_held_out(drawn):
    seen = {word for sample in drawn for word in sample.source.split()}
    assert seen.isdisjoint(HELD_OUT)
    assert len(seen & set(TRAINED)) > 150
    for sample in TASK.held_out_samples(300):
        names = [word for word in sample.source.split() if word not in DICTIONARY]
        assert names
        assert set(names) <= set(HELD_OUT)


def test_links_join_each_word_to_its_translation(drawn):
    for sample in drawn[:400]:
        for link in sample.links:
            word, translation = link.source.of(sample.source), link.target.of(sample.target)
            assert translation == DICTIONARY.get(word, word)
        assert len(sample.links) == len(sample.source.split()) == len(sample.target.split())
    assert translated(["a", "red", "book"]).target == "un livre rouge"


@pytest.mark.parametrize(
    "source",
    ["", "the", "Kowalski", "Kowalski sees", "the red Kowalski sees Otto", "le chien voit Otto",
     "Kowalski sees the dog to Otto", "rouge sees Otto"],
)  # fmt: skip
def test_another_sentence_has_no_reference(source):
    assert not TASK.makes(source)
    assert TASK.reference(source) is None


@pytest.mark.parametrize("example", TASK.examples, ids=lambda example: example.name)
def test_examples_are_sentences_with_names_that_no_training_knows(example):
    assert TASK.makes(example.source)
    assert not set(example.source.split()) & set(NAMES)
