"""Texts one after the other, as the reader's language lists them."""

from collections.abc import Iterable

from pages.frame.language import _


def listed(texts: Iterable[str]) -> str:
    """Return texts with a comma between them.

    >>> listed(["one", "two"])
    'one, two'
    """
    return _(", ").join(texts)


def listed_apart(texts: Iterable[str]) -> str:
    """Return texts that hold commas themselves.

    >>> listed_apart(["one, two", "three"])
    'one, two; three'
    """
    return _("; ").join(texts)


def alternatives(texts: Iterable[str]) -> str:
    """Return texts of which any is meant.

    >>> alternatives(["he", "she"])
    'he or she'
    """
    return _(" or ").join(texts)
