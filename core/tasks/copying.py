"""Copy a row of symbols: the first thing that a Transformer should learn."""

import random
import string
from functools import lru_cache

from core.messages import N_
from core.tasks.split import is_in_test_part
from core.tasks.task import Drawn, Example, Link, Sample
from core.vocabulary import Span

SYMBOLS = string.ascii_lowercase
MIN_LENGTH, MAX_LENGTH = 4, 16
FORM = N_("4 to 16 letters from a to z with spaces between them")
EXAMPLES = (
    Example(N_("six letters"), "k d a f q z"),
    Example(N_("repeated letters"), "a a a b b b a a"),
    Example(N_("a word"), "t r a n s f o r m e r"),
)


class Copying(Drawn):
    """`k d a f` → `k d a f`."""

    name = "copy"
    form = FORM
    pronouns: frozenset[str] = frozenset()
    examples: tuple[Example, ...] = EXAMPLES

    def sample(self, rng: random.Random) -> Sample:
        """Draw 4 to 16 symbols."""
        return self.of_length(rng, rng.randint(MIN_LENGTH, MAX_LENGTH))

    def of_length(self, rng: random.Random, length: int) -> Sample:
        """Draw so many symbols, also more than training ever does."""
        symbols = rng.choices(SYMBOLS, k=length)
        return aligned(symbols, range(len(symbols)))

    def held_out(self, sample: Sample) -> bool:
        """A tenth of all rows, by hash."""
        return is_in_test_part(sample.source)

    def makes(self, source: str) -> bool:
        """Any row of symbols that is neither too short nor too long."""
        return is_drawn(source)

    def reference(self, source: str) -> str | None:
        """The same symbols; None for anything but symbols."""
        symbols = symbols_of(source)
        return " ".join(symbols) if symbols else None


def is_drawn(source: str) -> bool:
    """Say whether a source is a row of symbols, neither too short nor too long."""
    return MIN_LENGTH <= len(symbols_of(source)) <= MAX_LENGTH


def symbols_of(source: str) -> list[str]:
    """Return the symbols of a source, none where something else stands in it.

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
        links=_links(order),
    )


@lru_cache
def _links(order: range) -> tuple[Link, ...]:
    spans = [Span(2 * index, 2 * index + 1) for index in range(len(order))]
    return tuple(Link(spans[source], spans[target]) for target, source in enumerate(order))
