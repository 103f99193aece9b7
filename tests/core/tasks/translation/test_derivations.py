"""The grammar backwards: which samples it derives for an English sentence."""

import random
from pathlib import Path

import pytest

from core.tasks.translation import Translation, derivations
from core.tasks.translation.lexicon import ADJECTIVES, LEMMAS, NOUNS, VERBS

LINES = (Path(__file__).parent / "pairs.tsv").read_text(encoding="utf-8").splitlines()
PAIRS = [tuple(line.split("\t")) for line in LINES]
SENTENCES = [english.rstrip(".?").replace(",", "").lower() for english, _ in PAIRS]


def only(english):
    [sample] = derivations(english)
    return sample


def test_every_hand_written_pair_is_derived_exactly():
    for english, french in PAIRS:
        assert only(english).target == french


def test_every_noun_verb_and_adjective_stands_in_a_hand_written_pair():
    words = {word for sentence in SENTENCES for word in sentence.split()}
    assert {noun.english[0] for noun in NOUNS} <= {LEMMAS.get(word) for word in words}
    assert {adjective.english for adjective in ADJECTIVES} <= words
    for verb in VERBS:
        forms = (f" {verb.base}", f" {verb.past}", f" {verb.third}")
        assert any(form in sentence for form in forms for sentence in SENTENCES), verb.base


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
def test_a_sentence_outside_the_grammar_has_no_derivation(english):
    assert derivations(english) == []


@pytest.mark.parametrize("example", Translation.examples, ids=lambda example: example.name)
def test_every_example_is_a_sentence_of_the_grammar(example):
    assert len({sample.target for sample in derivations(example.source)}) == 1


def test_every_sentence_that_is_drawn_is_derived():
    rng = random.Random(29)
    for _ in range(150):
        sample = Translation().sample(rng)
        assert derivations(sample.source) == [sample]


@pytest.mark.parametrize(
    ("english", "pronoun", "antecedent"),
    [("tired", "il", "animal"), ("wide", "elle", "street")],
)
def test_the_pronoun_of_the_famous_sentence_follows_its_adjective(english, pronoun, antecedent):
    sample = only(f"The animal didn't cross the street because it was too {english}.")
    [reference] = sample.references
    assert reference.pronoun.of(sample.source) == "it"
    assert reference.antecedent.of(sample.source) == antecedent
    assert [noun.of(sample.source) for noun in reference.nouns] == ["animal", "street"]
    assert reference.target.of(sample.target) == pronoun
    assert reference.ambiguous


@pytest.mark.parametrize(
    "english",
    [
        "The boy slept because he was tired.",
        "The woman took the book because it was light.",
        "The woman took the books because they were light.",
        "The animal crossed the park because it was wide.",
    ],
)
def test_a_pronoun_that_can_mean_one_noun_only_is_not_ambiguous(english):
    assert not only(english).references[0].ambiguous


@pytest.mark.parametrize(
    ("english", "links"),
    [
        (
            "The animal didn't cross the street because it was too wide.",
            "L'-The animal-animal n'-didn't a-didn't pas-didn't traversé-cross la-the rue-street "
            "parce-because qu'-because elle-it était-was trop-too large-wide",
        ),
        ("The women did not go out.", "Les-The femmes-women ne-not sont-did pas-not sorties-go "
         "sorties-out"),
        ("Was Anna tired?", "Est/ce-Was qu'-Was Anna-Anna était-Was fatiguée-tired"),
    ],
)  # fmt: skip
def test_every_french_word_is_linked_to_its_english_word(english, links):
    sample = only(english)
    found = [
        f"{link.target.of(sample.target).replace('-', '/')}-{link.source.of(sample.source)}"
        for link in sample.links
    ]
    assert found == links.split()
