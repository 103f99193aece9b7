import itertools
import random

from core.tasks.task import Sample
from core.tasks.translation import Translation
from core.tasks.translation.nouns import NOUNS
from core.tasks.translation.split import (
    is_held_out,
    is_name_held_out,
    is_pair_held_out,
    nouns_and_names,
)

LEMMAS = [noun.english[0] for noun in NOUNS]


def test_animal_and_street_never_meet_in_training():
    assert is_pair_held_out("animal", "street")
    assert is_held_out("The animal didn't cross the street because it was too tired.")
    assert is_held_out("Some big streets frightened the young animals.")


def test_the_order_of_a_pair_does_not_matter():
    for one, other in itertools.combinations(LEMMAS, 2):
        assert is_pair_held_out(one, other) == is_pair_held_out(other, one)


def test_about_a_tenth_of_the_noun_pairs_is_held_out():
    pairs = list(itertools.combinations(LEMMAS, 2))
    assert 0.08 < sum(is_pair_held_out(*pair) for pair in pairs) / len(pairs) < 0.12


def test_about_a_tenth_of_the_samples_is_held_out(samples):
    assert 0.08 < sum(is_held_out(sample.source) for sample in samples) / len(samples) < 0.14


def test_no_training_sample_holds_a_held_out_pair_or_name():
    stream = Translation().training_samples(random.Random(8))
    for sample in itertools.islice(stream, 5000):
        nouns, names = nouns_and_names(sample.source)
        assert not any(map(is_name_held_out, names))
        for one, other in itertools.combinations(set(nouns), 2):
            assert not is_pair_held_out(one, other)


def test_every_noun_is_seen_in_training():
    seen = set()
    for sample in itertools.islice(Translation().training_samples(random.Random(8)), 5000):
        seen.update(nouns_and_names(sample.source)[0])
    assert seen == set(LEMMAS)


def test_held_out_depends_on_the_english_side_alone(samples):
    task = Translation()
    for sample in samples[:500]:
        assert task.held_out(sample) == task.held_out(Sample(sample.source, "", (), ()))


# Written down once: if this changes, runs trained before have seen what is now called unseen.
PAIRS = "animal street, boy apple, dog road, cow bridge, cat garden, wolf river, king box, hen key"


def test_the_split_never_changes():
    pairs = [tuple(pair.split()) for pair in PAIRS.split(", ")]
    held_out = [pair for pair in pairs if is_pair_held_out(*pair)]
    assert held_out == [("animal", "street"), ("wolf", "river")]


def test_names_and_nouns_are_found_in_every_place():
    source = "When Anna saw the mice, Marlo and the old cat left."
    assert nouns_and_names(source) == (["mouse", "cat"], ["Anna", "Marlo"])
    assert nouns_and_names("Did Élora sleep?") == ([], ["Élora"])


def test_a_thousand_different_held_out_samples_exist():
    found = Translation().held_out_samples(1000)
    assert len({sample.source for sample in found}) == 1000
