"""What the largest weights of a head's rows have in common.

Q queries, K keys. Only rows with a choice count: those that may see two keys or more. Between words
a row's largest weight is the one that is most above that of an even row: a word of many tokens has
much weight without any preference.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

EVEN = 0.95
"""A head whose evenness is above this points at nothing."""
COMMON, LIFT = 0.5, 2
"""A pattern is a head's when it holds in this share of the rows or in more, and so many times as
often as chance has it."""
MOST_OF = 2 / 3
"""A narrow pattern is named that holds in this share of the rows in which a wide one does."""

Whether = NDArray[np.bool_]
Places = NDArray[np.intp]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What the largest weights of a head's rows have in common."""

    name: str
    """offset: the key so many places further; token: one key, in whatever row; text: another token
    of the same text; near: in the source not more than one place from the row's own; forward:
    further to the right than in the row before; even: nothing, the rows are nearly uniform;
    none: no row has a choice."""
    at: int
    """For offset the key's position less the query's; for token the key's position; else 0."""
    hits: int
    """Rows of which it holds."""
    rows: int
    """Rows of which it could hold; forward needs a row before."""
    chance: float
    """The share to expect of a head that picks any token that it may see; 0 for even."""

    @property
    def share(self) -> float:
        """Of the rows."""
        return self.hits / self.rows if self.rows else 0.0

    @property
    def above_chance(self) -> float:
        """How much larger its share is than chance; 0 where there is no pattern to speak of."""
        return 0.0 if self.name in ("even", "none") else self.share - self.chance

    @property
    def prevails(self) -> bool:
        """True where it may be called what the head does; an even head has no pattern."""
        if self.name in ("even", "none"):
            return False
        return self.share >= max(COMMON, LIFT * self.chance)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows with a choice."""

    at_Q: Places
    even_QK: Numbers
    """Their weights without a preference, as `core.inspection.SiteAttention` has them."""
    alike_QK: Whether
    cross: bool


def head_pattern(rows: Rows, found_Q: Places, evenness: float) -> Pattern:
    """Return the pattern that most rows have, a narrow one where it has nearly as many."""
    n = len(found_Q)
    if not n:
        return Pattern("none", 0, 0, 0, 0.0)
    if evenness > EVEN:
        return Pattern("even", 0, n, n, 0.0)
    narrow = _best(_narrow(rows, found_Q))
    if rows.cross:
        wide = _best(_wide(rows, found_Q))
        if wide.prevails and narrow.share < MOST_OF * wide.share:
            return wide
    return narrow


def _narrow(rows: Rows, found_Q: Places) -> Iterator[Pattern]:
    offsets_Q = found_Q - rows.at_Q
    offset = _most_common(offsets_Q)
    keys = np.arange(rows.even_QK.shape[1])
    yield _counted("offset", offset, keys - rows.at_Q[:, None] == offset, rows, found_Q)
    key = _most_common(found_Q)
    yield _counted("token", key, np.broadcast_to(keys == key, rows.even_QK.shape), rows, found_Q)
    yield _counted("text", 0, rows.alike_QK, rows, found_Q)


def _wide(rows: Rows, found_Q: Places) -> Iterator[Pattern]:
    keys = np.arange(rows.even_QK.shape[1])
    yield _counted("near", 0, np.abs(keys - rows.at_Q[:, None]) <= 1, rows, found_Q)
    later = Rows(rows.at_Q[1:], rows.even_QK[1:], rows.alike_QK[1:], rows.cross)
    yield _counted("forward", 0, keys > found_Q[:-1, None], later, found_Q[1:])


def _counted(name: str, at: int, fits_QK: Whether, rows: Rows, found_Q: Places) -> Pattern:
    n = len(found_Q)
    hits = int(fits_QK[np.arange(n), found_Q].sum())
    chance = float((fits_QK * rows.even_QK).sum(axis=-1).mean()) if n else 0.0
    return Pattern(name, at, hits, n, chance)


def _best(patterns: Iterator[Pattern]) -> Pattern:
    """Return the one with the largest share; of equal ones that which chance explains least."""
    return max(patterns, key=lambda each: (each.prevails, each.share, -each.chance))


def _most_common(numbers: Places) -> int:
    """Return the most frequent number; of equally frequent ones that nearest to 0."""
    values, counts = np.unique(numbers, return_counts=True)
    return int(min(values[counts == counts.max()], key=abs))
