"""Texts one after the other, as the reader's language lists them."""

import functools
from collections.abc import Iterable

from pages.frame.language import _
from viz.direction import isolated


def joined(texts: Iterable[str | None]) -> str:
    """Return whole sentences one after the other, those that are empty left out.

    Chinese puts no space between them.

    >>> joined(["It is so.", None, "It stays so."])
    'It is so. It stays so.'
    """
    two = _("{said} {more}")
    told = [text for text in texts if text]
    return functools.reduce(lambda said, more: two.format(said=said, more=more), told or [""])


def listed(texts: Iterable[str]) -> str:
    """Return texts with a comma between them.

    >>> listed(["one", "two"])
    'one, two'
    """
    return _(", ").join(map(isolated, texts))


def listed_apart(texts: Iterable[str]) -> str:
    """Return texts that hold commas themselves.

    >>> listed_apart(["one, two", "three"])
    'one, two; three'
    """
    return _("; ").join(map(isolated, texts))


def labelled(label: str, text: str) -> str:
    """Return a text after what it is about.

    >>> labelled("layer 0", "no change")
    'layer 0: no change'
    """
    return _("{label}: {text}").format(label=label, text=text)


def noted(text: str, note: str) -> str:
    """Return a text with something in brackets after it.

    >>> noted("layer 0", "99 %")
    'layer 0 (99 %)'
    """
    return _("{text} ({note})").format(text=text, note=note)


def ended(text: str) -> str:
    """Return a text as a sentence ends.

    >>> ended("It is so")
    'It is so.'
    """
    return _("{text}.").format(text=text)


def alternatives(texts: Iterable[str]) -> str:
    """Return texts of which any is meant.

    >>> alternatives(["he", "she"])
    'he or she'
    """
    return _(" or ").join(map(isolated, texts))
