"""Rows of letters to copy, to reverse, or either: the first things that a Transformer learns."""

import random
import string
from dataclasses import replace
from functools import lru_cache

from ..messages import N_
from ..vocabulary import Span
from .task import Drawn, Example, Link, Sample, is_in_test_part

SYMBOLS = string.ascii_lowercase
COLON = ":"
"""Behind it stand definitions."""
_WORD = Example(N_("a word"), "t r a n s f o r m e r")


class _Symbols(Drawn):
    """A task whose sources are rows of letters; a tenth of them is held out, by hash."""

    form = N_("4 to 16 letters from a to z with spaces between them")
    pronouns: frozenset[str] = frozenset()
    examples: tuple[Example, ...] = (
        Example(N_("six letters"), "k d a f q z"),
        Example(N_("repeated letters"), "a a a b b b a a"),
        _WORD,
    )
    lengths = (4, 16)
    """Fewest and most letters."""
    letters = SYMBOLS

    def sample(self, rng: random.Random) -> Sample:
        return self.of_length(rng, rng.randint(*self.lengths))

    def of_length(self, rng: random.Random, length: int) -> Sample:
        """Draw a row of one length, which may be longer than any of the training."""
        return self._sample(rng, rng.choices(self.letters, k=length))

    def _sample(self, rng: random.Random, symbols: list[str]) -> Sample:
        return aligned(symbols, self.order(len(symbols)))

    def order(self, n: int) -> range:
        """Return the source index of each letter of the target."""
        return range(n)

    def held_out(self, sample: Sample) -> bool:
        return is_in_test_part(sample.source)

    def makes(self, source: str) -> bool:
        """Say whether a source is a row of letters of a length that is drawn."""
        fewest, most = self.lengths
        return fewest <= len(symbols_of(source)) <= most

    def reference(self, source: str) -> str | None:
        """Return the letters in the order of the target; None for anything but letters."""
        symbols = symbols_of(source)
        return " ".join(symbols[at] for at in self.order(len(symbols))) or None


def is_of_letters(task: object) -> bool:
    """Say whether a task's sources are rows of letters: any letter may stand for any other."""
    return isinstance(task, _Symbols) and not isinstance(task, Defining)


class Copying(_Symbols):
    """`k d a f` → `k d a f`."""

    name = "copy"


class Reversing(_Symbols):
    """`k d a f` → `f a d k`, which cross-attention shows as a mirror."""

    name = "reverse"

    def order(self, n: int) -> range:
        """Return the indices from the last to the first."""
        return range(n - 1, -1, -1)


class Either(_Symbols):
    """`k d a f` → `k d a f` or `f a d k`, by a fair coin for each pair.

    The smallest task on which words that are filled in at once must agree with each other (the
    "multimodality problem", Gu et al. 2018): a fair coin at each of n positions gives one of the
    two with probability 2^(1 − n).
    """

    name = "either"
    form = N_("6 to 12 letters from a to z with spaces between them")
    examples: tuple[Example, ...] = (
        Example(N_("eight letters"), "a b c d b e f g"),
        Example(N_("six letters"), "k d a f q z"),
        _WORD,
    )
    lengths = (6, 12)

    def _sample(self, rng: random.Random, symbols: list[str]) -> Sample:
        n = len(symbols)
        target, other = rng.sample((range(n), range(n - 1, -1, -1)), 2)
        return replace(aligned(symbols, target), others=(aligned(symbols, other).target,))

    def right(self, source: str) -> tuple[str, ...]:
        """Return both right targets of a source; none of anything but letters."""
        symbols = symbols_of(source)
        return (" ".join(symbols), " ".join(reversed(symbols))) if symbols else ()


class Defining(_Symbols):
    """`c a : a h c f` → `f h`: letters, and behind the colon what each of them stands for.

    Associative recall. A letter's target depends on the letter and on what is defined later in the
    row, so that a reader that has not mixed the two cannot know it.
    """

    name = "define"
    form = N_("2 to 4 letters from a to h, a colon, and what each of them stands for")
    examples: tuple[Example, ...] = (
        Example(N_("three letters"), "c a b : a h c f b d"),
        Example(N_("defined otherwise"), "c a b : a f c h b d"),
    )
    lengths = (2, 4)
    letters = SYMBOLS[:8]

    def _sample(self, rng: random.Random, symbols: list[str]) -> Sample:
        keys = rng.sample(self.letters, len(symbols))
        defined = dict(zip(keys, symbols, strict=True))
        order = rng.sample(keys, len(keys))
        source = [*keys, COLON, *(each for key in order for each in (key, defined[key]))]
        # A target comes from its definition.
        first = len(keys) + 2
        links = _links(tuple(first + 2 * order.index(key) for key in keys))
        return Sample(" ".join(source), " ".join(symbols), links)

    def makes(self, source: str) -> bool:
        """Say whether every letter before the colon is defined once behind it."""
        return self.reference(source) is not None

    def reference(self, source: str) -> str | None:
        """Return what the letters before the colon stand for; None for any other text."""
        before, _colon, after = source.partition(f" {COLON} ")
        keys, pairs = symbols_of(before), symbols_of(after)
        defined = dict(zip(pairs[::2], pairs[1::2], strict=False))
        is_drawn = len(pairs) == 2 * len(keys) and sorted(defined) == sorted(keys)
        return " ".join(defined[key] for key in keys) if is_drawn and keys else None


def symbols_of(source: str) -> list[str]:
    """Return the letters of a source; none of a source with anything else in it.

    >>> symbols_of("k  d a"), symbols_of("k dog")
    (['k', 'd', 'a'], [])
    """
    words = source.split()
    return words if all(len(word) == 1 and word in SYMBOLS for word in words) else []


def aligned(symbols: list[str], order: range) -> Sample:
    """Return a sample whose target is the symbols in another order.

    >>> aligned(["a", "b"], range(1, -1, -1)).target
    'b a'
    """
    return Sample(
        source=" ".join(symbols),
        target=" ".join([symbols[index] for index in order]),
        links=_links(tuple(order)),
    )


@lru_cache
def _links(order: tuple[int, ...]) -> tuple[Link, ...]:
    """Return a link for each letter of the target, from the index of its letter of the source."""
    return tuple(Link(_span(source), _span(target)) for target, source in enumerate(order))


def _span(index: int) -> Span:
    return Span(2 * index, 2 * index + 1)
