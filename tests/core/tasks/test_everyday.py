from core.tasks import NEED_PAIRS, TASKS
from core.tasks.translation import derivations

EVERYDAY = TASKS["everyday"]


def test_its_first_examples_are_of_the_grammar_and_the_others_are_everyday_sentences():
    known = [bool(derivations(example.source)) for example in EVERYDAY.examples]
    assert known == [True, True, True, False, False]


def test_it_knows_what_the_grammar_knows():
    assert EVERYDAY.pronouns == TASKS["translate"].pronouns
    assert EVERYDAY.reference("The girls arrived.") == "Les filles sont arrivées."
    assert EVERYDAY.reference("I love you.") is None


def test_it_is_not_learned_without_pairs():
    assert EVERYDAY.name in NEED_PAIRS
