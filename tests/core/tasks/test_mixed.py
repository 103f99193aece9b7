"""Own pairs beside the sentences that a task makes."""

import itertools
import random

import pytest

from core.tasks import TASKS, CorpusError, Mixed, Sample, task_named
from core.tasks.corpus import FILES, Corpus
from core.tasks.mixed import OWN_EACH
from core.tasks.pairs import as_tsv

PAIRS = [Sample(f"number {n}", f"nombre {n}") for n in range(200)]


@pytest.fixture
def mixed():
    return Mixed(TASKS["translate"], Corpus("mine", PAIRS))


def test_own_pairs_and_made_sentences_are_learned_from_in_turn(mixed):
    drawn = list(itertools.islice(mixed.training_samples(random.Random(1)), 4 * 100))
    made = drawn[OWN_EACH :: OWN_EACH + 1]
    own = [each for each in drawn if each not in made]
    assert len(made) == 100
    assert not any(mixed.made.held_out(each) for each in made)
    assert set(own) <= set(mixed.pairs.part("train"))


def test_of_what_is_held_out_half_is_made_and_no_source_stands_twice(mixed):
    found = mixed.held_out_samples(10, part="test")
    own = [each for each in found if each in PAIRS]
    assert len(found) == len({each.source for each in found}) == 10
    assert len(own) == 5
    assert set(own) <= set(mixed.pairs.part("test"))
    assert mixed.held_out_samples(10, part="valid") != found


def test_where_few_own_pairs_are_held_out_more_are_made():
    few = Mixed(TASKS["translate"], Corpus("mine", PAIRS[:10]))
    assert len(few.held_out_samples(10)) == 10


def test_a_true_target_is_known_by_either(mixed):
    assert mixed.reference("number 7") == "nombre 7"
    assert mixed.reference("The girls arrived.") == "Les filles sont arrivées."
    assert mixed.reference("Nobody knows this.") is None


def test_pronouns_and_examples_are_those_of_the_made_sentences(mixed):
    assert mixed.pronouns == {"it", "they"}
    assert (mixed.name, mixed.examples) == ("translate", TASKS["translate"].examples)


def test_own_pairs_that_do_not_fit_are_left_out(mixed):
    left = mixed.only(lambda sample: not sample.source.endswith("7"))
    assert {each.source[-1] for each in left.pairs.samples} == set("012345689")
    with pytest.raises(CorpusError, match="too few"):
        mixed.only(lambda _: False)


def test_a_run_with_pairs_and_the_name_of_a_task_learns_both(tmp_path):
    (tmp_path / FILES["train"]).write_bytes(as_tsv(PAIRS))
    found = task_named("everyday", tmp_path)
    assert isinstance(found, Mixed)
    assert found.pairs.samples == tuple(PAIRS)
    (tmp_path / FILES["train"]).unlink()
    assert task_named("everyday", tmp_path) is TASKS["everyday"]
