"""Copy a row of symbols or reverse it: two targets that are equally right.

The smallest task on which words that are filled in at once must agree with each other (the
"multimodality problem", Gu et al. 2018): a fair coin at each of n places gives one of the two with
probability 2^(1 − n).
"""

import random

from core.messages import N_
from core.tasks.copying import SYMBOLS, aligned, symbols_of
from core.tasks.split import is_in_test_part
from core.tasks.task import Drawn, Example, Sample

MIN_LENGTH, MAX_LENGTH = 6, 12


class Either(Drawn):
    """`k d a f` → `k d a f` or `f a d k`, by a fair coin for each pair."""

    name = "either"
    form = N_("6 to 12 letters from a to z with spaces between them")
    pronouns: frozenset[str] = frozenset()
    examples: tuple[Example, ...] = (
        Example(N_("eight letters"), "a b c d b e f g"),
        Example(N_("six letters"), "k d a f q z"),
        Example(N_("a word"), "t r a n s f o r m e r"),
    )

    def sample(self, rng: random.Random) -> Sample:
        """Draw 6 to 12 symbols, and which of the two targets is shown."""
        symbols = rng.choices(SYMBOLS, k=rng.randint(MIN_LENGTH, MAX_LENGTH))
        forwards, backwards = range(len(symbols)), range(len(symbols) - 1, -1, -1)
        shown, other = rng.sample((forwards, backwards), 2)
        return aligned(symbols, shown).or_else(aligned(symbols, other).target)

    def held_out(self, sample: Sample) -> bool:
        """A tenth of all rows, by hash."""
        return is_in_test_part(sample.source)

    def makes(self, source: str) -> bool:
        """Any row of symbols that is neither too short nor too long."""
        return MIN_LENGTH <= len(symbols_of(source)) <= MAX_LENGTH

    def reference(self, source: str) -> str | None:
        """The same symbols, one of two that are right; None for anything but symbols."""
        symbols = symbols_of(source)
        return " ".join(symbols) if symbols else None

    def right(self, source: str) -> tuple[str, ...]:
        """Return both right targets of a source; none of anything but symbols."""
        symbols = symbols_of(source)
        return (" ".join(symbols), " ".join(reversed(symbols))) if symbols else ()
