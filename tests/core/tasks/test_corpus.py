import itertools
import random
import re

import pytest

from core.tasks import TASKS, CorpusError, Mixed, Sample, corpus, task_named
from core.tasks.corpus import (
    FILES,
    OWN_EACH,
    Corpus,
    KeptCorpus,
    LargeCorpus,
    kept_corpus,
    read_corpus,
)
from core.tasks.pairs import as_tsv

PARTS = ("train", "valid", "test")
MINE = [Sample(f"word {n}", f"mot {n}") for n in range(60)]
MANY = [Sample(f"word {n}", f"mot {n}") for n in range(600)]


@pytest.fixture
def train(tmp_path):
    path = tmp_path / "train.tsv"
    path.write_bytes(as_tsv(MANY))
    return path


def sources(corpus, part):
    return [sample.source for sample in corpus.part(part)]


@pytest.mark.parametrize("n", [0, 5, 9])
def test_too_few_sources_are_refused_with_their_number(n):
    twice = [*MINE[:n], *(Sample(each.source, "autre") for each in MINE[:n])]
    with pytest.raises(CorpusError, match=f"{n} different sources"):
        Corpus("pairs", twice)


def test_parts_that_are_split_off_have_a_twentieth_of_the_sources_each():
    samples = [Sample(f"word {n}", f"mot {n}") for n in range(4000)]
    whole, fewer = Corpus("pairs", samples), Corpus("pairs", samples[:2000])
    assert sum(len(whole.part(part)) for part in PARTS) == 4000
    for part in ("valid", "test"):
        assert 150 < len(whole.part(part)) < 250
    # The part of a source depends on the source alone.
    for part in PARTS:
        assert set(sources(fewer, part)) <= set(sources(whole, part))


@pytest.mark.parametrize("given", [{"test"}, {"valid"}, {"test", "valid"}])
def test_a_part_with_pairs_of_its_own_is_not_split_off(given):
    own = {part: [Sample(f"{part} {n}", "x") for n in range(5)] for part in given}
    corpus = Corpus("pairs", MINE, own.get("valid"), own.get("test"))
    for part in given:
        assert corpus.part(part) == tuple(own[part])
    assert len(corpus.part("train")) == len(MINE) if len(given) == 2 else len(MINE) - 3
    assert corpus.in_both() == {}


def test_sources_that_are_in_two_parts_are_counted():
    test = [Sample("word 3", "autre"), Sample("word 4", "x"), Sample("word 4", "y")]
    corpus = Corpus("pairs", MINE, [Sample("z", "zz")], [*test, Sample("z", "z")])
    assert corpus.in_both() == {("train", "test"): 2, ("valid", "test"): 1}


def test_a_part_of_which_nothing_fits_is_refused_by_its_name():
    corpus = Corpus("pairs", MINE, [Sample("long", "x")], [Sample("short", "x")])
    with pytest.raises(CorpusError, match="no pair of the valid part fits"):
        corpus.only(lambda sample: sample.source != "long")


@pytest.mark.parametrize("given", [False, True])
def test_the_pairs_of_a_run_have_the_same_parts(tmp_path, given):
    own = [[Sample(f"{part} {n}", "x") for n in range(5)] for part in "vt"] if given else []
    corpus = Corpus("pairs", MINE, *own)
    written = {part: corpus.part(part) for part in PARTS} if given else {"train": MINE}
    for part, samples in written.items():
        (tmp_path / FILES[part]).write_bytes(as_tsv(samples))
    kept = kept_corpus(tmp_path)
    assert [kept.part(part) for part in PARTS] == [corpus.part(part) for part in PARTS]


def test_held_out_samples_have_different_sources_and_fewer_are_the_first_of_more():
    test = [Sample(f"word {n % 8}", f"mot {n}") for n in range(16)]
    corpus = Corpus("pairs", MINE, test, test)
    found = corpus.held_out_samples(20, 1)
    assert {each.source for each in found} == {f"word {n}" for n in range(8)}
    assert len(found) == 8
    assert corpus.held_out_samples(3, 1) == found[:3]
    assert corpus.held_out_samples(20, 2) != found


def test_a_source_with_two_targets_stays_on_one_side_and_the_first_is_the_reference():
    corpus = Corpus("pairs", [*MINE, *(Sample(each.source, "autre") for each in MINE)])
    held_out = {each for part in ("valid", "test") for each in sources(corpus, part)}
    drawn = corpus.training_samples(random.Random(0))
    trained = {next(drawn).source for _ in range(2000)}
    assert held_out and not held_out & trained
    assert held_out | trained == {each.source for each in MINE}
    assert corpus.reference("\u00a0word  3 ") == "mot 3"
    assert corpus.reference("word 99") is None


def test_parts_of_a_large_corpus_are_those_of_a_small_one(train):
    large, small = LargeCorpus([train]), read_corpus([train])
    for part in ("valid", "test"):
        assert tuple(large.part(part)) == small.part(part)
    assert tuple(large.to_learn_from()) == small.part("train")
    assert (large.n_pairs, large.n_train) == (600, small.n_train)
    assert large.examples == small.examples
    assert large.notes == small.notes


def test_some_of_all_pairs_to_learn_from_are_at_hand_and_progress_is_told(train, monkeypatch):
    monkeypatch.setattr(corpus, "AT_HAND", 100)
    monkeypatch.setattr(corpus, "N_PER_TELL", 250)
    counts = []
    found = LargeCorpus([train], tell=counts.append)
    drawn = set(itertools.islice(found.training_samples(random.Random(0)), 300))
    assert len(drawn) == 100
    assert drawn < set(found.to_learn_from())
    # Not only the first ones.
    assert not drawn <= set(MANY[:400])
    assert counts == [250, 500]


def test_a_run_keeps_the_held_out_parts_of_a_large_corpus(tmp_path):
    for part, samples in (("valid", MINE[:3]), ("test", MINE[3:9])):
        (tmp_path / f"{part}.tsv").write_bytes(as_tsv(samples))
    kept = task_named("pairs.tsv", tmp_path)
    assert isinstance(kept, KeptCorpus)
    assert kept.reference("word 4") == "mot 4"
    assert kept.reference("word 50") is None
    assert set(kept.held_out_samples(50)) == set(MINE[3:9])


@pytest.fixture(scope="module")
def mixed():
    return Mixed(TASKS["translate"], Corpus("mine", MANY))


def test_own_pairs_and_made_sentences_are_learned_from_in_turn(mixed):
    drawn = list(itertools.islice(mixed.training_samples(random.Random(1)), 4 * 100))
    made = drawn[OWN_EACH :: OWN_EACH + 1]
    own = [each for each in drawn if each not in made]
    assert len(made) == 100
    assert not any(mixed.made.held_out(each) for each in made)
    assert set(own) <= set(mixed.pairs.part("train"))


def test_half_of_the_held_out_samples_are_made_and_more_where_few_are_own(mixed):
    found = mixed.held_out_samples(10, part="test")
    own = [each for each in found if each in MANY]
    assert len(found) == len({each.source for each in found}) == 10
    assert len(own) == 5
    assert set(own) <= set(mixed.pairs.part("test"))
    assert mixed.held_out_samples(10, part="valid") != found
    few = Mixed(TASKS["translate"], Corpus("mine", MANY[:10]))
    assert len(few.held_out_samples(10)) == 10


def test_the_pairs_of_a_run_are_its_task_alone_or_beside_another(tmp_path):
    with pytest.raises(CorpusError, match=re.escape(str(tmp_path / "pairs.tsv"))):
        task_named("pairs.tsv", tmp_path)
    assert task_named("everyday", tmp_path) is TASKS["everyday"]
    (tmp_path / FILES["train"]).write_bytes(as_tsv(MINE))
    assert task_named("pairs.tsv", tmp_path).samples == tuple(MINE)
    found = task_named("everyday", tmp_path)
    assert isinstance(found, Mixed)
    assert found.pairs.samples == tuple(MINE)
