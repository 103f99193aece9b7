"""The user's own sentence pairs as a task, in three parts: train, valid and test."""

import random
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, combinations, islice
from pathlib import Path
from typing import Self

from core.messages import N_
from core.tasks.columns import tidy
from core.tasks.layout import CorpusError, Reading
from core.tasks.pairs import FOUND, LARGEST, TOLD, Pairs, pairs_of_lines, read_pairs, told_of
from core.tasks.split import place
from core.tasks.task import Example, Part, Sample

FEWEST_SOURCES = 10
SHARE = 0.05
"""Of the sources, for each held-out part that has no file of its own."""
HELD_OUT: tuple[Part, ...] = ("test", "valid")
KEPT = Reading(strict=True)
FILES: Mapping[Part, str] = {"train": "pairs.tsv", "valid": "valid.tsv", "test": "test.tsv"}
"""Part → its file in a run's folder; without the last two the first holds all pairs."""


class OwnPairs(ABC):
    """The user's own pairs, wherever those to learn from are."""

    name: str
    pronouns: frozenset[str] = frozenset()
    examples: tuple[Example, ...]
    notes: tuple[str, ...] = ()
    """What is to be known of the files that were read."""

    @abstractmethod
    def part(self, part: Part) -> Sequence[Sample]:
        """Return the pairs of a held-out part."""

    @abstractmethod
    def training_samples(self, rng: random.Random) -> Iterator[Sample]:
        """Yield pairs to learn from without end: all that are at hand in some order, then again."""

    def held_out_samples(self, n: int, seed: int = 0, part: Part = "test") -> list[Sample]:
        """Return up to `n` pairs of a part with different sources."""
        first = {sample.source: sample for sample in reversed(self.part(part))}
        samples = list(first.values())
        random.Random(f"{part} {seed}").shuffle(samples)
        return samples[:n]

    def reference(self, source: str) -> str | None:
        """The first target that is known for the source."""
        return self._first_targets.get(tidy(source))

    @cached_property
    def _first_targets(self) -> dict[str, str]:
        return {sample.source: sample.target for sample in reversed(self.known())}

    def known(self) -> list[Sample]:
        """Return the pairs in which a source is looked up."""
        return [sample for part in HELD_OUT for sample in self.part(part)]


def held_out_examples(samples: Iterable[Sample]) -> tuple[Example, ...]:
    """Return the first sources of the pairs that a model is measured by."""
    sources = islice(dict.fromkeys(sample.source for sample in samples), 3)
    return tuple(
        Example(N_("held-out pair {n}"), source, number) for number, source in enumerate(sources)
    )


class Corpus(OwnPairs):
    """Pairs to learn from, to watch a training by, and to measure the trained model by.

    A held-out part that has no pairs of its own is split off by the hash of the source, so that a
    source with two targets stays on one side.

    Args:
        name: What messages call it.
        samples: To learn from, and to split from what is missing.
        valid: By which a training is watched.
        test: By which the trained model is measured.

    Raises:
        CorpusError: There are too few different sources, or a part has no pair.
    """

    def __init__(
        self,
        name: str,
        samples: Iterable[Sample],
        valid: Iterable[Sample] | None = None,
        test: Iterable[Sample] | None = None,
    ) -> None:
        self.name = name
        rows = tuple(samples)
        self.samples = tuple(dict.fromkeys(rows))
        """Of the first file, whatever part they are in."""
        self.n_repeated = len(rows) - len(self.samples)
        """Pairs of the first file that stand there before, and are left out."""
        given = {"valid": valid, "test": test}
        self.given: dict[Part, tuple[Sample, ...]] = {
            part: tuple(dict.fromkeys(found))
            for part in HELD_OUT
            if (found := given[part]) is not None
        }
        """The held-out parts with pairs of their own."""
        if empty := [part for part, found in self.given.items() if not found]:
            raise CorpusError(
                "{name}: no pair of the {part} part fits the model", name=name, part=empty[0]
            )
        self._ends = self._ends_of_parts()
        self.examples = held_out_examples(self.part("test"))

    @property
    def n_train(self) -> int:
        """Pairs to learn from."""
        return len(self.part("train"))

    def part(self, part: Part) -> tuple[Sample, ...]:
        """Return the pairs of a part."""
        return self._parts[part]

    @cached_property
    def _parts(self) -> dict[Part, tuple[Sample, ...]]:
        found: dict[Part, list[Sample]] = {"train": [], "valid": [], "test": []}
        for sample in self.samples:
            found[self._part_of(sample.source)].append(sample)
        return {part: tuple(samples) for part, samples in found.items()} | self.given

    def _part_of(self, source: str) -> Part:
        at = place(source)
        return next((part for part, end in self._ends.items() if at < end), "train")

    def _ends_of_parts(self) -> dict[Part, float]:
        """Return where the parts that are split off end, between 0 and 1."""
        missing = [part for part in HELD_OUT if part not in self.given]
        places = sorted(map(place, _sources(self.samples)))
        if len(places) < FEWEST_SOURCES:
            raise CorpusError(
                "{name}: {n} different sources that fit the model are too few to "
                "learn from and to test on; at least {least} are needed",
                name=self.name,
                n=len(places),
                least=FEWEST_SOURCES,
            )
        ends: dict[Part, float] = {}
        n_before = 0
        for number, part in enumerate(missing, start=1):
            # In a short file the hash may leave a part empty; then at least one source goes there.
            n_before = max(n_before + 1, bisect_left(places, number * SHARE))
            n_before = min(n_before, len(places) - 1 - (len(missing) - number))
            ends[part] = places[n_before]
        return ends

    def in_both(self) -> dict[tuple[Part, Part], int]:
        """Return how many different sources two parts share, for each two that share any."""
        sources = {part: set(_sources(found)) for part, found in self._parts.items()}
        shared = {
            (one, other): len(sources[one] & sources[other])
            for one, other in combinations(sources, 2)
        }
        return {parts: n for parts, n in shared.items() if n}

    def only(self, fits: Callable[[Sample], bool]) -> Self:
        """Return the corpus without the pairs that do not fit.

        Raises:
            CorpusError: Too few are left.
        """
        given = {part: filter(fits, found) for part, found in self.given.items()}
        return type(self)(
            self.name, filter(fits, self.samples), given.get("valid"), given.get("test")
        )

    def training_samples(self, rng: random.Random) -> Iterator[Sample]:
        """Yield pairs without end: all of them in some order, then all in another."""
        samples = list(self.part("train"))
        while True:
            rng.shuffle(samples)
            yield from samples

    def known(self) -> list[Sample]:
        """Return all pairs, those of the first file first."""
        return [*self.samples, *chain.from_iterable(self.given.values())]


def _sources(samples: Iterable[Sample]) -> list[str]:
    """Return the different sources, in order."""
    return list(dict.fromkeys(sample.source for sample in samples))


def read_corpus(
    train: Sequence[Path],
    valid: Sequence[Path] = (),
    test: Sequence[Path] = (),
    reading: Reading = FOUND,
) -> Corpus:
    """Read files of pairs; what is to be known of them is in the corpus's `notes`.

    Args:
        train: One file of two columns, as `read_pairs` takes it, or two files of lines, as
            `pairs_of_lines` does.
        valid: The same; nothing where this part is to be split off.
        test: The same.
        reading: What is not to be judged by the files.

    Raises:
        CorpusError: A file cannot be read, or as `read_pairs`.
    """
    first = found_in(train, reading)
    found = [found_in(paths, reading) if paths else None for paths in (valid, test)]
    valid_pairs, test_pairs = (each.samples if each else None for each in found)
    corpus = Corpus(_name(train), first.rows, valid_pairs, test_pairs)
    files = zip((train, valid, test), (first, *found), strict=True)
    corpus.notes = tuple(
        note for paths, each in files if each for note in notes(_name(paths), each)
    )
    return corpus


def kept_corpus(folder: Path) -> Corpus:
    """Read the pairs that are kept with a run.

    Raises:
        CorpusError: They cannot be read.
    """
    train, valid, test = ([folder / name] for name in FILES.values())
    valid, test = (each if each[0].is_file() else [] for each in (valid, test))
    return read_corpus(train, valid, test, KEPT)


def read_samples(path: Path) -> Sequence[Sample]:
    """Read pairs that are kept with a run.

    Raises:
        CorpusError: They cannot be read, or a line is no pair (its number is named).
    """
    return found_in([path], KEPT).samples


def found_in(paths: Sequence[Path], reading: Reading = FOUND) -> Pairs:
    """Read one file of two columns, or two files of lines; see `read_corpus`.

    Raises:
        CorpusError: A file cannot be read, or as `read_pairs`.
    """
    contents = [_content(path) for path in paths]
    if len(contents) == 1:
        return read_pairs(contents[0], _name(paths), reading)
    sources, targets = contents
    return pairs_of_lines(sources, targets, (str(paths[0]), str(paths[1])), reading)


def notes(name: str, found: Pairs) -> list[str]:
    """Return what is to be known of a file that was read: its columns, and lines left out."""
    first = [(each.line, each.reason) for each in found.refused[:TOLD]]
    return told_of(name, found.layout, len(found.refused), first)


def _name(paths: Sequence[Path]) -> str:
    return " and ".join(map(str, paths))


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            # One byte more than is allowed shows that a file is too large.
            return file.read(LARGEST + 1)
    except OSError as error:
        raise CorpusError("{path}: {why}", path=path, why=error.strerror) from error


__all__ = [
    "FEWEST_SOURCES",
    "FILES",
    "Corpus",
    "CorpusError",
    "kept_corpus",
    "found_in",
    "notes",
    "read_corpus",
    "read_samples",
]
