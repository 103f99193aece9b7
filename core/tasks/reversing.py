"""Reverse a row of symbols: copying with a turn, which cross-attention shows as a mirror."""

import random

from core.tasks.copying import (
    EXAMPLES,
    FORM,
    MAX_LENGTH,
    MIN_LENGTH,
    SYMBOLS,
    aligned,
    is_drawn,
    symbols_of,
)
from core.tasks.split import is_in_test_part
from core.tasks.task import Drawn, Example, Sample


class Reversing(Drawn):
    """`k d a f` → `f a d k`."""

    name = "reverse"
    form = FORM
    pronouns: frozenset[str] = frozenset()
    examples: tuple[Example, ...] = EXAMPLES

    def sample(self, rng: random.Random) -> Sample:
        """Draw 4 to 16 symbols."""
        return self.of_length(rng, rng.randint(MIN_LENGTH, MAX_LENGTH))

    def of_length(self, rng: random.Random, length: int) -> Sample:
        """Draw so many symbols, also more than training ever does."""
        symbols = rng.choices(SYMBOLS, k=length)
        return aligned(symbols, range(len(symbols) - 1, -1, -1))

    def held_out(self, sample: Sample) -> bool:
        """A tenth of all rows, by hash."""
        return is_in_test_part(sample.source)

    def makes(self, source: str) -> bool:
        """Any row of symbols that is neither too short nor too long."""
        return is_drawn(source)

    def reference(self, source: str) -> str | None:
        """The symbols in the other order; None for anything but symbols."""
        symbols = symbols_of(source)
        return " ".join(reversed(symbols)) if symbols else None
