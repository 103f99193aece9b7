import itertools
import random

from core.tasks.translation import Translation
from core.tasks.translation.lexicon import LEMMAS
from core.tasks.translation.split import (
    is_held_out,
    is_name_held_out,
    is_pair_held_out,
    nouns_and_names,
)

NOUNS = sorted(set(LEMMAS.values()))


def test_about_a_tenth_is_held_out(samples):
    pairs = list(itertools.combinations(NOUNS, 2))
    assert 0.08 < sum(is_pair_held_out(*pair) for pair in pairs) / len(pairs) < 0.12
    assert 0.08 < sum(is_held_out(sample.source) for sample in samples) / len(samples) < 0.14


def test_no_training_sample_holds_a_held_out_pair_or_name_and_all_nouns_are_seen():
    seen = set()
    for sample in itertools.islice(Translation().training_samples(random.Random(8)), 5000):
        nouns, names = nouns_and_names(sample.source)
        seen.update(nouns)
        assert not any(map(is_name_held_out, names))
        for one, other in itertools.combinations(set(nouns), 2):
            assert not is_pair_held_out(other, one)
    assert seen == set(NOUNS)


# Written down once: if this changes, runs trained before have seen what is now called unseen.
PAIRS = "animal street, boy apple, dog road, cow bridge, cat garden, wolf river, king box, hen key"


def test_the_split_never_changes():
    pairs = [tuple(pair.split()) for pair in PAIRS.split(", ")]
    held_out = [pair for pair in pairs if is_pair_held_out(*pair)]
    assert held_out == [("animal", "street"), ("wolf", "river")]
    assert is_held_out("Some big streets frightened the young animals.")
