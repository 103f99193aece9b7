"""What is said of the visitor's own pairs."""

from types import SimpleNamespace

import pytest

from core.tasks import Sample
from core.tasks.corpus import Corpus
from core.tasks.pairs import read_pairs
from pages.views.training import pairs_found

MINE = [Sample(f"cat {n}", f"chat {n}") for n in range(20)]


def test_one_source_is_not_counted_in_the_plural():
    report = SimpleNamespace(
        n_pairs=12, n_sources=1, n_train=12, n_valid=0, n_test=0, n_too_long=0, vocab_size=300
    )
    assert pairs_found.summary(report, 0)[0] == "**12 pairs** of one source"


@pytest.mark.parametrize(
    ("test", "words"), [(MINE[:1], "1 source is among"), (MINE[:2], "2 sources are among")]
)
def test_sources_in_two_parts_are_said(test, words):
    [said] = pairs_found.in_both(Corpus("mine", MINE, [Sample("x", "y")], test))
    assert said.startswith(f"{words} the pairs to learn from and among those to measure by")


def test_without_sources_in_two_parts_nothing_is_said():
    assert pairs_found.in_both(Corpus("mine", MINE)) == []


def test_the_first_line_that_cannot_be_used_is_named():
    found = read_pairs(b"a;b\n" * 3 + b"one\nc;d;e\n", "mine.csv")
    assert pairs_found.refusals(found) == (
        "2 lines cannot be used; the first is line 4: 1 column, not 2"
    )
