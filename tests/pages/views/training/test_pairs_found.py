"""What is said of the visitor's own pairs."""

import pytest

from core.tasks import Sample
from core.tasks.corpus import Corpus
from core.tasks.pairs import read_pairs
from pages.views.training import pairs_found

MINE = [Sample(f"cat {n}", f"chat {n}") for n in range(20)]


@pytest.mark.parametrize(
    ("test", "words"), [(MINE[:1], "1 source is among"), (MINE[:2], "2 sources are among")]
)
def test_sources_in_two_parts_are_said(test, words):
    [said] = pairs_found.in_both(Corpus("mine", MINE, [Sample("x", "y")], test))
    assert said.startswith(f"{words} the pairs to learn from and among those to measure by")


def test_the_first_line_that_cannot_be_used_is_named():
    found = read_pairs(b"a;b\n" * 3 + b"one\nc;d;e\n", "mine.csv")
    assert pairs_found.refusals(found) == (
        "2 lines cannot be used; the first is line 4: 1 column, not 2"
    )
