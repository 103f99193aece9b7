"""Of what there are so many: a number of cases says nothing without it."""

from pages.frame.language import n_, number


def sentences(n: int) -> str:
    """Return a number of sentences."""
    return n_("{n} sentence", "{n} sentences", n).format(n=number(n))


def pronouns(n: int) -> str:
    """Return a number of pronouns that may stand for either of two nouns."""
    return n_("{n} ambiguous pronoun", "{n} ambiguous pronouns", n).format(n=number(n))


def rows(n: int) -> str:
    """Return a number of rows of weights."""
    return n_("{n} row", "{n} rows", n).format(n=number(n))
