"""The user's own sentence pairs, from a file of two tab-separated columns."""

import random
import unicodedata
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path
from typing import Self

from core.tasks.split import TEST_SHARE, is_in_test_part, place
from core.tasks.task import Example, Sample

HEADERS = {("source", "target"), ("src", "tgt"), ("english", "french"), ("en", "fr")}
FEWEST_SOURCES = 10


class CorpusError(ValueError):
    """A file of pairs that cannot be used; the message names the line and what is wrong."""


class Corpus:
    """Pairs drawn at random from a list; a tenth of the sources, by hash, is held out."""

    pronouns: frozenset[str] = frozenset()

    def __init__(self, name: str, samples: list[Sample]) -> None:
        self.name = name
        self._all = list(dict.fromkeys(samples))
        sources = {sample.source for sample in self._all}
        if len(sources) < FEWEST_SOURCES:
            raise CorpusError(
                f"{name}: {len(sources)} different sources that fit the model are too few to learn "
                f"from and to test on; at least {FEWEST_SOURCES} are needed"
            )
        places = sorted(map(place, sources))
        # In a short file the hash may leave a side empty; then at least one source goes there.
        n_held_out = min(max(1, bisect_left(places, TEST_SHARE)), len(places) - 1)
        self._share = places[n_held_out]
        held_out = [sample.source for sample in self._all if self.held_out(sample)]
        self.examples = tuple(
            Example(f"held-out pair {number}", source)
            for number, source in enumerate(list(dict.fromkeys(held_out))[:3])
        )

    def only(self, fits: Callable[[Sample], bool]) -> Self:
        """Return the corpus without the pairs that do not fit.

        Raises:
            CorpusError: Too few are left.
        """
        return type(self)(self.name, [sample for sample in self._all if fits(sample)])

    def sample(self, rng: random.Random) -> Sample:
        """Draw one pair."""
        return rng.choice(self._all)

    def held_out(self, sample: Sample) -> bool:
        """By the hash of the source, so that a source with two targets stays on one side."""
        return is_in_test_part(sample.source, share=self._share)

    def reference(self, source: str) -> str | None:
        """The first target that the file gives for the source."""
        wanted = unicodedata.normalize("NFC", source).strip()
        return next((each.target for each in self._all if each.source == wanted), None)


def read_corpus(path: Path) -> Corpus:
    """Read a UTF-8 file with one pair a line: source, tab, target; a header is skipped.

    Raises:
        CorpusError: The file cannot be read, or a line is no pair (its number is named).
    """
    try:
        text = path.read_text(encoding="utf-8").removeprefix("\ufeff")
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        bad_line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise CorpusError(f"{path}, line {bad_line}: not UTF-8") from error
    samples = []
    # Not splitlines: it also breaks at signs that may stand within a text, such as U+2028.
    for number, line in enumerate(text.split("\n"), start=1):
        columns = [unicodedata.normalize("NFC", column).strip() for column in line.split("\t")]
        if not any(columns) or (number == 1 and _is_header(columns)):
            continue
        if len(columns) != 2 or not all(columns):
            raise CorpusError(
                f"{path}, line {number}: {len([c for c in columns if c])} columns with text, "
                f"not 2 with one tab between them"
            )
        samples.append(Sample(source=columns[0], target=columns[1]))
    return Corpus(str(path), samples)


def _is_header(columns: list[str]) -> bool:
    return tuple(column.lower() for column in columns) in HEADERS
