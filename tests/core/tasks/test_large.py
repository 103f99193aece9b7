"""Pairs that are too many to be held in memory."""

import itertools
import random

import pytest

from core.tasks import Sample, task_named
from core.tasks import large as module
from core.tasks.corpus import Corpus, CorpusError, read_corpus
from core.tasks.large import KeptCorpus, LargeCorpus, is_large, pairs_in
from core.tasks.layout import Reading
from core.tasks.pairs import as_tsv, read_pairs

MINE = [Sample(f"word {n}", f"mot {n}") for n in range(600)]


@pytest.fixture
def train(tmp_path):
    path = tmp_path / "train.tsv"
    path.write_bytes(as_tsv(MINE))
    return path


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "text",
    [
        "a\tb\nc \t d",
        "en\tfr\na\tb",
        "a,b\n\nc,d\n",
        '"a, b","c\nd"\n"e",f\n',
        "a;b\nc,d;e\n",
        "e\u0301te\u0301\tx\u2028y\n",
    ],
)
def test_a_file_is_read_as_a_small_one_is(tmp_path, text, newline):
    path = tmp_path / "pairs.tsv"
    path.write_bytes("\ufeff".encode() + text.replace("\n", newline).encode())
    assert tuple(pairs_in([path])) == read_pairs(path.read_bytes(), "x").samples


def test_two_files_of_lines_are_read_as_small_ones_are(tmp_path):
    one, other = tmp_path / "a.en", tmp_path / "a.fr"
    one.write_bytes(b"a, b\r\n\r\nen\r\n")
    other.write_bytes(b"x\n\nfr")
    assert list(pairs_in([one, other])) == [Sample("a, b", "x"), Sample("en", "fr")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\tb\nc\t\n", "line 2: the second column is empty"),
        (b"a\tb\n1\t2\t3\t4\t5\t6\t7\t8\t9\t0\n", "line 2: 10 columns, not 2"),
        (b"a\tb\n\xe9\tc\n", "line 2: not UTF-8"),
        (b"a\tb\n" + b"c" * (1 << 20) + b"d\te\n", "line 2: more than 1 MB without a line end"),
    ],
)
def test_a_line_that_is_no_pair_is_named(tmp_path, content, message):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=message):
        list(pairs_in([path], Reading(strict=True)))


def test_files_of_different_length_and_files_that_are_missing_are_named(tmp_path):
    one, other = tmp_path / "a.en", tmp_path / "a.fr"
    one.write_text("a\nb\n")
    other.write_text("x\ny\nz")
    with pytest.raises(CorpusError, match=r"a\.en has 2 lines and .*a\.fr has 3"):
        list(pairs_in([one, other]))
    with pytest.raises(CorpusError, match=r"none\.tsv: No such file"):
        is_large([tmp_path / "none.tsv"])


def test_large_is_what_the_app_does_not_take(tmp_path, train, monkeypatch):
    assert not is_large([train])
    monkeypatch.setattr(module, "MOST_PAIRS", 600)
    assert is_large([train])
    huge = tmp_path / "huge.tsv"
    with huge.open("wb") as file:
        file.truncate(2**31)
    assert is_large([huge])


def test_parts_are_those_of_a_small_corpus(train):
    large, small = LargeCorpus([train]), read_corpus([train])
    for part in ("valid", "test"):
        assert tuple(large.part(part)) == small.part(part)
    assert tuple(large.to_learn_from()) == small.part("train")
    assert large.n_train == len(small.part("train"))
    assert large.examples == small.examples


def test_of_very_many_no_more_are_split_off(train, monkeypatch):
    monkeypatch.setattr(module, "HELD_OUT_PAIRS", 6)
    corpus = LargeCorpus([train])
    assert 1 <= len(corpus.part("test")) <= 18
    assert corpus.n_train + sum(len(corpus.part(part)) for part in ("valid", "test")) == 600


def test_parts_with_files_of_their_own_and_sources_in_both(tmp_path, train):
    test = tmp_path / "test.tsv"
    test.write_bytes(as_tsv([MINE[3], MINE[4], Sample("else", "autre")]))
    corpus = LargeCorpus([train], [], [test])
    assert len(corpus.part("test")) == 3
    small = Corpus("", MINE, None, corpus.part("test"))
    assert tuple(corpus.part("valid")) == small.part("valid")
    assert corpus.in_both() == small.in_both() != {}


def test_those_at_hand_are_some_of_all_those_to_learn_from(train, monkeypatch):
    monkeypatch.setattr(module, "AT_HAND", 100)
    corpus = LargeCorpus([train])
    drawn = set(itertools.islice(corpus.training_samples(random.Random(0)), 300))
    assert len(drawn) == 100
    assert drawn < set(corpus.to_learn_from())
    # Not only the first ones.
    assert not drawn <= set(MINE[:400])


def test_how_many_were_read_is_told(train, monkeypatch):
    monkeypatch.setattr(module, "TOLD_EVERY", 250)
    told = []
    LargeCorpus([train], tell=told.append)
    assert told == [250, 500]


def test_too_few_pairs_are_refused(tmp_path):
    path = tmp_path / "few.tsv"
    path.write_bytes(as_tsv(MINE[:8]))
    with pytest.raises(CorpusError, match=r"few\.tsv: too few pairs"):
        LargeCorpus([path])


def test_what_a_run_keeps_knows_the_held_out_parts_and_no_more(tmp_path):
    for part, samples in (("valid", MINE[:3]), ("test", MINE[3:9])):
        (tmp_path / f"{part}.tsv").write_bytes(as_tsv(samples))
    kept = task_named("pairs.tsv", tmp_path)
    assert isinstance(kept, KeptCorpus)
    assert kept.reference("word 4") == "mot 4"
    assert kept.reference("word 50") is None
    assert set(kept.held_out_samples(50)) == set(MINE[3:9])
    with pytest.raises(CorpusError, match="only the tokens are kept"):
        next(iter(kept.training_samples(random.Random(0))))
