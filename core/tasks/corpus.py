"""The user's own sentence pairs as a task."""

import random
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Self

from core.tasks.columns import tidy
from core.tasks.pairs import LARGEST, CorpusError, read_pairs
from core.tasks.split import TEST_SHARE, is_in_test_part, place
from core.tasks.task import Example, Sample

FEWEST_SOURCES = 10


class Corpus:
    """Pairs drawn at random from a list; a tenth of the sources, by hash, is held out."""

    pronouns: frozenset[str] = frozenset()

    def __init__(self, name: str, samples: Iterable[Sample]) -> None:
        self.name = name
        self.samples = tuple(dict.fromkeys(samples))
        sources = dict.fromkeys(sample.source for sample in self.samples)
        if len(sources) < FEWEST_SOURCES:
            raise CorpusError(
                f"{name}: {len(sources)} different sources that fit the model are too few to learn "
                f"from and to test on; at least {FEWEST_SOURCES} are needed"
            )
        places = sorted(map(place, sources))
        # In a short file the hash may leave a side empty; then at least one source goes there.
        n_held_out = min(max(1, bisect_left(places, TEST_SHARE)), len(places) - 1)
        self._share = places[n_held_out]
        held_out = (source for source in sources if is_in_test_part(source, share=self._share))
        self.examples = tuple(
            Example(f"held-out pair {number}", source)
            for number, source in enumerate(islice(held_out, 3))
        )

    def only(self, fits: Callable[[Sample], bool]) -> Self:
        """Return the corpus without the pairs that do not fit.

        Raises:
            CorpusError: Too few are left.
        """
        return type(self)(self.name, filter(fits, self.samples))

    def sample(self, rng: random.Random) -> Sample:
        """Draw one pair."""
        return rng.choice(self.samples)

    def held_out(self, sample: Sample) -> bool:
        """By the hash of the source, so that a source with two targets stays on one side."""
        return is_in_test_part(sample.source, share=self._share)

    def reference(self, source: str) -> str | None:
        """The first target that the file gives for the source."""
        return self._first_targets.get(tidy(source))

    @cached_property
    def _first_targets(self) -> dict[str, str]:
        return {sample.source: sample.target for sample in reversed(self.samples)}


def read_corpus(path: Path) -> Corpus:
    """Read a file of pairs, as `read_pairs` does, of which every line can be used.

    Raises:
        CorpusError: The file cannot be read, or a line is no pair (its number is named).
    """
    try:
        with path.open("rb") as file:
            # One byte more than is allowed shows that a file is too large.
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}") from error
    pairs = read_pairs(content, str(path))
    if pairs.refused:
        first = pairs.refused[0]
        n_others = len(pairs.refused) - 1
        others = f" ({n_others:,} more lines cannot be used either)" if n_others else ""
        raise CorpusError(f"{path}, line {first.line}: {first.reason}{others}")
    return Corpus(str(path), pairs.samples)


__all__ = ["FEWEST_SOURCES", "Corpus", "CorpusError", "read_corpus"]
