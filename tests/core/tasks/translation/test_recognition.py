"""A sentence is derived without trying what it cannot say."""

import random

import pytest

from core.tasks.translation import Translation, derivations, recognition

SEED = 29


@pytest.fixture
def tried(monkeypatch):
    """Return a function that counts how many sentences are begun until one is derived."""
    begun = []
    whole = recognition.sentence

    def counted(draft):
        begun.append(draft)
        return whole(draft)

    monkeypatch.setattr(recognition, "sentence", counted)

    def count(source):
        recognition._derived.cache_clear()
        begun.clear()
        found = derivations(source)
        return found, len(begun)

    return count


@pytest.mark.parametrize("source", ["I love you.", "The trophy didn't fit because it was too big."])
def test_of_a_sentence_with_a_word_that_is_never_said_nothing_is_tried(tried, source):
    assert tried(source) == ([], 0)


def test_what_a_sentence_lacks_is_not_tried(tried):
    # All moods, kinds and connectors would be some 7,800.
    found, n = tried("The animal didn't cross the street because it was too tired.")
    assert len(found) == 1
    assert n < 2_000


def test_every_sentence_that_is_drawn_is_derived():
    rng = random.Random(SEED)
    for _ in range(300):
        sample = Translation().sample(rng)
        assert sample in derivations(sample.source)
