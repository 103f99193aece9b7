import random
import re
from collections import Counter, defaultdict

import pytest

from core.tasks import TASKS
from core.tasks.translation.lexicon import ADJECTIVES, LEMMAS

TAG, CLASSIFY = TASKS["tag"], TASKS["classify"]
ADJECTIVES_SAID = {adjective.english for adjective in ADJECTIVES}


@pytest.mark.parametrize(
    ("sentence", "tags"),
    [
        ("The dogs cross the street.", "DT NNS VBP DT NN"),
        ("Do the dogs cross the street?", "VBP DT NNS VB DT NN"),
        ("The wolf that came back was very old.", "DT NN WDT VBD RP VBD RB JJ"),
        ("Who doesn't like an old king?", "WP VBZ VB DT JJ NN"),
        ("When they arrive, the cats are not hungry.", None),
        ("Marlo slept.", None),
    ],
)
def test_each_word_gets_its_tag_and_what_is_never_drawn_none(sentence, tags):
    assert TAG.reference(sentence) == tags


def test_only_the_base_forms_of_verbs_have_two_tags():
    rng, tags_of = random.Random(6), defaultdict(Counter)
    for sample in (TAG.sample(rng) for _ in range(2000)):
        for word, tag in zip(sample.source.split(), sample.target.split(), strict=True):
            tags_of[word][tag] += 1
    several = {frozenset(tags) for tags in tags_of.values() if len(tags) > 1}
    assert several == {frozenset({"VB", "VBP"})}


def test_nouns_that_change_places_make_a_sentence_of_the_other_class():
    rng, classes = random.Random(3), Counter()
    for sample in (CLASSIFY.sample(rng) for _ in range(150)):
        one, other = [word for word in sample.source.split() if word in LEMMAS]
        exchanged = {one: other, other: one}
        source = re.sub(
            r"\w+", lambda found, to=exchanged: to.get(found[0], found[0]), sample.source
        )
        # An adjective may not go with every noun.
        if not ADJECTIVES_SAID & set(source.split()):
            assert {sample.target, CLASSIFY.reference(source)} == {"SINGULAR", "PLURAL"}
            classes[sample.target] += 1
    assert min(classes.values()) > 15
