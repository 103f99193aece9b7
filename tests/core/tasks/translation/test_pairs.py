import unicodedata
from pathlib import Path

import pytest

from core.tasks.translation import derivations
from core.tasks.translation.adjectives import ADJECTIVES
from core.tasks.translation.nouns import LEMMAS, NOUNS
from core.tasks.translation.verbs import VERBS

LINES = (Path(__file__).parent / "pairs.tsv").read_text(encoding="utf-8").splitlines()
PAIRS = [tuple(line.split("\t")) for line in LINES]
SAID = [english.rstrip(".?").replace(",", "").lower() for english, _ in PAIRS]


@pytest.mark.parametrize(("english", "french"), PAIRS)
def test_every_hand_written_pair_is_derived_exactly(english, french):
    assert [sample.target for sample in derivations(english)] == [french]


def test_there_are_eighty_hand_written_pairs_and_none_stands_twice():
    assert len({english for english, _ in PAIRS}) == len(PAIRS) >= 80


def test_hand_written_pairs_are_composed_unicode():
    for line in LINES:
        assert unicodedata.normalize("NFC", line) == line


def test_every_noun_verb_and_adjective_stands_in_a_hand_written_pair():
    words = {word for sentence in SAID for word in sentence.split()}
    assert {noun.english[0] for noun in NOUNS} <= {LEMMAS.get(word) for word in words}
    assert {adjective.english for adjective in ADJECTIVES} <= words
    for verb in VERBS:
        forms = (f" {verb.base}", f" {verb.past}", f" {verb.third}")
        assert any(form in sentence for form in forms for sentence in SAID), verb.base


@pytest.mark.parametrize(
    "english",
    [
        "",
        "The",
        "The dogs eats.",
        "The dog dog slept.",
        "A apple was ripe.",
        "An boy slept.",
        "the dog slept.",
        "The dog slept",
        "The dog slept. The cat slept.",
        "The street was tired.",
        "The animal didn't cross the animal.",
        "The boy slept because it was tired.",
        "The old boy slept.",
        "The Cat slept.",
    ],
)
def test_what_is_not_of_the_grammar_has_no_derivation(english):
    assert derivations(english) == []
