"""The user's own sentence pairs as a task, in three parts: train, valid and test."""

import random
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, combinations, islice
from pathlib import Path
from typing import Self

from ..messages import N_
from .columns import CorpusError, Reading, tidy
from .pairs import FOUND, N_NAMED, PairFile, notes, read_pair_files, require_file
from .task import Example, Part, Sample, Task, hash_fraction

FEWEST_SOURCES = 10
SHARE = 0.05
"""Share of the sources for each held-out part without a file of its own."""
HELD_OUT_PAIRS = 5000
"""Approximate maximum pairs that are split off a large corpus for a part."""
AT_HAND = 100_000
"""Pairs of a large corpus kept in memory, for training the tokenizer."""
N_PER_TELL = 100_000
"""Pairs of a large corpus between two progress reports."""
OWN_EACH = 3
"""Own pairs per generated sentence, when drawn in turn."""
HELD_OUT: tuple[Part, ...] = ("test", "valid")
FILES: Mapping[Part, str] = {"train": "pairs.tsv", "valid": "valid.tsv", "test": "test.tsv"}
"""Part → its file in a run's folder; without the last two the first holds all pairs."""
_KEPT = Reading(strict=True)


class OwnPairs:
    """The user's own pairs: held-out parts in memory, and pairs to learn from."""

    name: str
    pronouns: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    """Notes on the files for the user."""
    _ends: Mapping[Part, float] = {}
    """Upper hash bound of each part that is split off, between 0 and 1."""
    _parts: Mapping[Part, Sequence[Sample]]
    _in_memory: Sequence[Sample]
    """Training pairs; of a large corpus a sample of them."""

    def part(self, part: Part) -> Sequence[Sample]:
        """Return the pairs of a part."""
        return self._parts[part]

    def training_samples(self, rng: random.Random) -> Iterator[Sample]:
        """Yield training pairs forever: all in memory, reshuffled each time."""
        samples = list(self._in_memory)
        while True:
            rng.shuffle(samples)
            yield from samples

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """The first sources of the test pairs."""
        sources = islice(dict.fromkeys(sample.source for sample in self.part("test")), 3)
        return tuple(Example(N_("held-out pair {n}"), each, n) for n, each in enumerate(sources))

    def held_out_samples(self, n: int, seed: int = 0, part: Part = "test") -> list[Sample]:
        """Return up to `n` pairs of a part with different sources."""
        first = {sample.source: sample for sample in reversed(self.part(part))}
        samples = list(first.values())
        random.Random(f"{part} {seed}").shuffle(samples)
        return samples[:n]

    def reference(self, source: str) -> str | None:
        """Return the first known target of a source."""
        return self._first_targets.get(tidy(source))

    @cached_property
    def _first_targets(self) -> dict[str, str]:
        return {sample.source: sample.target for sample in reversed(self.known())}

    def known(self) -> list[Sample]:
        """Return the pairs in which sources are looked up."""
        return [sample for part in HELD_OUT for sample in self.part(part)]

    def _part_of(self, source: str) -> Part:
        at = hash_fraction(source) if self._ends else 1.0
        return next((part for part, end in self._ends.items() if at < end), "train")


class Corpus(OwnPairs):
    """The user's pairs for training, validation and test.

    A held-out part that has no pairs of its own is split off by the hash of the source, so that a
    source with two targets stays on one side.

    Args:
        name: Name in messages.
        samples: Training pairs, from which missing parts are split off.
        valid: Validation pairs.
        test: Test pairs.

    Raises:
        CorpusError: There are too few distinct sources, or a part is empty.
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
        """Distinct pairs of the first file, in any part."""
        self.n_repeated = len(rows) - len(self.samples)
        """Number of repeated pairs in the first file, which are dropped."""
        own = {"valid": valid, "test": test}
        self.own_parts: dict[Part, tuple[Sample, ...]] = {
            part: tuple(dict.fromkeys(pairs))
            for part in HELD_OUT
            if (pairs := own[part]) is not None
        }
        """The held-out parts with pairs of their own."""
        if empty := [part for part, samples in self.own_parts.items() if not samples]:
            raise CorpusError(
                "{name}: no pair of the {part} part fits the model", name=name, part=empty[0]
            )
        self._ends = self._ends_of_parts()
        parts: dict[Part, list[Sample]] = {"train": [], "valid": [], "test": []}
        for sample in self.samples:
            parts[self._part_of(sample.source)].append(sample)
        self._parts = {part: tuple(pairs) for part, pairs in parts.items()} | self.own_parts
        self._in_memory = self.part("train")

    @property
    def n_train(self) -> int:
        """Pairs to learn from."""
        return len(self.part("train"))

    def _ends_of_parts(self) -> dict[Part, float]:
        missing = [part for part in HELD_OUT if part not in self.own_parts]
        fractions = sorted(map(hash_fraction, {sample.source for sample in self.samples}))
        if len(fractions) < FEWEST_SOURCES:
            raise CorpusError(
                "{name}: {n} different sources that fit the model are too few to "
                "learn from and to test on; at least {least} are needed",
                name=self.name,
                n=len(fractions),
                least=FEWEST_SOURCES,
            )
        ends: dict[Part, float] = {}
        n_before = 0
        for number, part in enumerate(missing, start=1):
            # In a short file the hash may leave a part empty; then it gets at least one source.
            n_before = max(n_before + 1, bisect_left(fractions, number * SHARE))
            n_before = min(n_before, len(fractions) - 1 - (len(missing) - number))
            ends[part] = fractions[n_before]
        return ends

    def in_both(self) -> dict[tuple[Part, Part], int]:
        """Return the number of shared sources of each two parts that share any."""
        sources = {part: {each.source for each in samples} for part, samples in self._parts.items()}
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
        own = {part: filter(fits, samples) for part, samples in self.own_parts.items()}
        return type(self)(self.name, filter(fits, self.samples), own.get("valid"), own.get("test"))

    def known(self) -> list[Sample]:
        """Return all pairs, those of the first file first."""
        return [*self.samples, *chain.from_iterable(self.own_parts.values())]


class LargeCorpus(OwnPairs):
    """Training pairs in files, which are read line by line; held-out parts in memory.

    Args:
        train: One file of two columns, or two files of lines, as `PairFile` takes them.
        valid: Files of validation pairs; empty to split them off.
        test: Files of test pairs; empty to split them off.
        tell: Called with the number of pairs read so far.
        reading: Options for reading.

    Raises:
        CorpusError: A file cannot be read, a line is not a pair and the reading is strict, or there
            are too few pairs.
    """

    def __init__(
        self,
        train: Sequence[Path],
        valid: Sequence[Path] = (),
        test: Sequence[Path] = (),
        tell: Callable[[int], None] = lambda _: None,
        reading: Reading = FOUND,
    ) -> None:
        self._file = PairFile(train, list(map(str, train)), reading)
        self.name = self._file.name
        own: dict[Part, Sequence[Path]] = {"valid": valid, "test": test}
        read = {part: read_pair_files(own[part], reading) for part in HELD_OUT if own[part]}
        self.own_parts: dict[Part, list[Sample]] = {
            part: list(each.samples) for part, each in read.items()
        }
        """The held-out parts with files of their own."""
        missing = [part for part in HELD_OUT if part not in self.own_parts]
        share = min(SHARE, HELD_OUT_PAIRS / max(1, self._file.n_lines()))
        self._ends = {part: number * share for number, part in enumerate(missing, start=1)}
        self._split_off: dict[Part, list[Sample]] = {part: [] for part in missing}
        self._parts = {**self._split_off, **self.own_parts}
        self._in_memory: list[Sample] = []
        self._sources = {
            part: {each.source for each in samples} for part, samples in self.own_parts.items()
        }
        self._in_both: dict[Part, set[str]] = {part: set() for part in self.own_parts}
        self.n_pairs = self.n_train = 0
        n_left_out, first = self._read(tell)
        self.notes = (
            *notes(self.name, self._file.layout, n_left_out, first),
            *(note for each in read.values() for note in each.notes),
        )
        if self.n_train < FEWEST_SOURCES or not all(self._parts.values()):
            raise CorpusError("{name}: too few pairs to learn from and to test on", name=self.name)

    def _read(self, tell: Callable[[int], None]) -> tuple[int, list[tuple[int, str]]]:
        """Assign each pair to its part; return how many lines have no pair, and the first ones."""
        n_left_out, first = 0, list[tuple[int, str]]()
        rng = random.Random("at hand")
        for row, reason in self._file.rows():
            if reason:
                n_left_out += 1
                first += [(row.line, reason)] if n_left_out <= N_NAMED else []
                continue
            self.n_pairs += 1
            if self.n_pairs % N_PER_TELL == 0:
                tell(self.n_pairs)
            sample = Sample(*self._file.layout.pair(row.texts))
            part = self._part_of(sample.source)
            if part == "train":
                self._learn_from(sample, rng)
            else:
                self._split_off[part].append(sample)
        return n_left_out, first

    def _learn_from(self, sample: Sample, rng: random.Random) -> None:
        self.n_train += 1
        # Reservoir sampling: each pair so far is in memory with equal probability.
        if self.n_train <= AT_HAND:
            self._in_memory.append(sample)
        elif (at := rng.randrange(self.n_train)) < AT_HAND:
            self._in_memory[at] = sample
        for part, sources in self._sources.items():
            if sample.source in sources:
                self._in_both[part].add(sample.source)

    def in_both(self) -> dict[tuple[Part, Part], int]:
        """Return the number of shared sources of each two parts that share any."""
        shared: dict[tuple[Part, Part], int] = {
            ("train", part): len(sources) for part, sources in self._in_both.items()
        }
        test, valid = ({sample.source for sample in self.part(part)} for part in HELD_OUT)
        shared["valid", "test"] = len(valid & test)
        return {parts: n for parts, n in shared.items() if n}

    def to_learn_from(self) -> Iterator[Sample]:
        """Read the training pairs, in the order of the files."""
        for row, reason in self._file.rows():
            if not reason:
                sample = Sample(*self._file.layout.pair(row.texts))
                if self._part_of(sample.source) == "train":
                    yield sample


class KeptCorpus(OwnPairs):
    """The held-out parts of a large corpus, which a run stores beside its tokens.

    An opened model has only a test part. Of training pairs only the tokens are stored.

    Raises:
        CorpusError: They cannot be read.
    """

    def __init__(self, run: Path) -> None:
        self.name, self.run = str(run), run
        self._parts = {
            part: read_pair_files([file], _KEPT).samples
            if (file := run / FILES[part]).is_file()
            else ()
            for part in HELD_OUT
        }


class Mixed:
    """The user's own pairs beside sentences that a task generates.

    `core.training.batches` decides how often each is used.

    Args:
        made: The task that generates sentences.
        pairs: The user's own pairs, whose pronouns may be unknown.
    """

    def __init__(self, made: Task, pairs: Corpus) -> None:
        self.made, self.pairs = made, pairs
        self.name: str = made.name
        self.pronouns: frozenset[str] = made.pronouns
        self.examples: tuple[Example, ...] = made.examples

    def training_samples(self, rng: random.Random) -> Iterator[Sample]:
        """Yield training samples forever: a few of the user's own, then a generated one."""
        own = self.pairs.training_samples(random.Random(rng.random()))
        made = self.made.training_samples(rng)
        while True:
            yield from islice(own, OWN_EACH)
            yield next(made)

    def held_out_samples(self, n: int, seed: int = 0, part: Part = "test") -> list[Sample]:
        """Return up to `n` samples of a part with distinct sources, half of them generated."""
        own = self.own_held_out_samples(n, seed, part)
        sources = {sample.source for sample in own}
        made = self.made.held_out_samples(n - len(own), seed, part)
        return own + [sample for sample in made if sample.source not in sources]

    def own_held_out_samples(self, n: int, seed: int = 0, part: Part = "test") -> list[Sample]:
        """Return the user's own among `held_out_samples`."""
        return self.pairs.held_out_samples(n // 2, seed, part)

    def reference(self, source: str) -> str | None:
        """Return the true target of a source, if either of the two knows it."""
        return self.pairs.reference(source) or self.made.reference(source)

    def only(self, fits: Callable[[Sample], bool]) -> Self:
        """Return the task without own pairs that do not fit.

        Raises:
            CorpusError: Too few are left.
        """
        return type(self)(self.made, self.pairs.only(fits))


def own_pairs_of(task: Task) -> OwnPairs | None:
    """Return the user's own pairs in a task; None if it has none."""
    if isinstance(task, Mixed):
        return task.pairs
    return task if isinstance(task, OwnPairs) else None


def read_corpus(
    train: Sequence[Path],
    valid: Sequence[Path] = (),
    test: Sequence[Path] = (),
    reading: Reading = FOUND,
) -> Corpus:
    """Read files of pairs; notes for the user are in the corpus's `notes`.

    Args:
        train: One file of two columns, or two files of lines, as `PairFile` takes them.
        valid: Files of this part; empty to split it off.
        test: Files of this part; empty to split it off.
        reading: Options for reading.

    Raises:
        CorpusError: A file cannot be read, or as `read_pairs`.
    """
    for path in train:
        require_file(path)
    first, *others = (
        read_pair_files(paths, reading) if paths else None for paths in (train, valid, test)
    )
    assert first
    valid_pairs, test_pairs = (each.samples if each else None for each in others)
    corpus = Corpus(first.name, first.rows, valid_pairs, test_pairs)
    corpus.notes = tuple(note for each in (first, *others) if each for note in each.notes)
    return corpus


def kept_corpus(folder: Path) -> Corpus:
    """Read the pairs that are kept with a run.

    Raises:
        CorpusError: They cannot be read.
    """
    train, valid, test = ([folder / name] for name in FILES.values())
    valid, test = (each if each[0].is_file() else [] for each in (valid, test))
    return read_corpus(train, valid, test, _KEPT)
