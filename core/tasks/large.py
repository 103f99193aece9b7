"""The user's own pairs where they are too many to be held in memory: read from their files.

They are read line by line and twice: to know what is in them, and to be split to tokens.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path

from core.tasks.columns import Record, chosen_separator, records_of, tidy
from core.tasks.corpus import (
    FEWEST_SOURCES,
    FILES,
    HELD_OUT,
    SHARE,
    OwnPairs,
    held_out_examples,
    read_samples,
)
from core.tasks.pairs import LARGEST, MOST_PAIRS, CorpusError, is_header, why_not
from core.tasks.split import place
from core.tasks.task import Part, Sample

HELD_OUT_PAIRS = 5000
"""About so many are split off for a part at most, however many there are."""
AT_HAND = 100_000
"""So many of those to learn from are kept in memory: the tokenizer learns its pieces from them."""
TOLD_EVERY = 100_000
"""Pairs that are read."""
_JUDGED = 1000
_LONGEST_LINE = 1 << 20
"""A line has at most so many bytes."""
Tell = Callable[[int], None]


class LargeCorpus(OwnPairs):
    """Pairs to learn from in files, and two held-out parts in memory.

    Args:
        train: One file of two columns, or two files of lines; UTF-8.
        valid: Files of the pairs by which a training is watched; none to split the part off.
        test: Of those by which the trained model is measured; the same.
        tell: Called with the number of pairs that were read so far.

    Raises:
        CorpusError: A file cannot be read, a line is no pair (its number is named), or there are
            too few pairs.
    """

    def __init__(
        self,
        train: Sequence[Path],
        valid: Sequence[Path] = (),
        test: Sequence[Path] = (),
        tell: Tell = lambda _: None,
    ) -> None:
        self.name = " and ".join(map(str, train))
        self._files = train
        own = {"valid": valid, "test": test}
        self.given: dict[Part, list[Sample]] = {
            part: list(read_samples(own[part])) for part in HELD_OUT if own[part]
        }
        """The held-out parts with files of their own."""
        missing = [part for part in HELD_OUT if part not in self.given]
        share = min(SHARE, HELD_OUT_PAIRS / max(1, _n_lines(train[0])))
        self._ends = {part: number * share for number, part in enumerate(missing, start=1)}
        self._parts: dict[Part, list[Sample]] = {part: [] for part in missing} | self.given
        self._at_hand: list[Sample] = []
        self._in_both: dict[Part, set[str]] = {part: set() for part in self.given}
        self.n_pairs = self.n_train = 0
        self._look_through(tell)
        if self.n_train < FEWEST_SOURCES or not all(self._parts.values()):
            raise CorpusError("{name}: too few pairs to learn from and to test on", name=self.name)
        self.examples = held_out_examples(self.part("test"))

    def _look_through(self, tell: Tell) -> None:
        rng = random.Random("at hand")
        watched = {
            part: {sample.source for sample in samples} for part, samples in self.given.items()
        }
        for number, sample in enumerate(pairs_in(self._files), start=1):
            if number % TOLD_EVERY == 0:
                tell(number)
            self.n_pairs = number
            part = self._part_of(sample.source)
            if part != "train":
                self._parts[part].append(sample)
                continue
            self.n_train += 1
            # So that each of those that were read is at hand with the same probability.
            if self.n_train <= AT_HAND:
                self._at_hand.append(sample)
            elif (at := rng.randrange(self.n_train)) < AT_HAND:
                self._at_hand[at] = sample
            for other, sources in watched.items():
                if sample.source in sources:
                    self._in_both[other].add(sample.source)

    def _part_of(self, source: str) -> Part:
        if not self._ends:
            return "train"
        at = place(source)
        return next((part for part, end in self._ends.items() if at < end), "train")

    def part(self, part: Part) -> Sequence[Sample]:
        """Return the pairs of a held-out part."""
        return self._parts[part]

    def in_both(self) -> dict[tuple[Part, Part], int]:
        """Return how many different sources two parts share, for each two that share any."""
        shared: dict[tuple[Part, Part], int] = {
            ("train", part): len(found) for part, found in self._in_both.items()
        }
        test, valid = ({sample.source for sample in self.part(part)} for part in HELD_OUT)
        shared["valid", "test"] = len(valid & test)
        return {parts: n for parts, n in shared.items() if n}

    def to_learn_from(self) -> Iterator[Sample]:
        """Read the pairs to learn from, in the order of the files."""
        for sample in pairs_in(self._files):
            if self._part_of(sample.source) == "train":
                yield sample

    def training_samples(self, rng: random.Random) -> Iterator[Sample]:
        """Yield those pairs that are at hand, without end."""
        samples = list(self._at_hand)
        while True:
            rng.shuffle(samples)
            yield from samples


class KeptCorpus(OwnPairs):
    """What a run keeps of a large corpus beside its tokens: the held-out parts.

    Of an opened model, which learned nothing here, there is but the test.

    Raises:
        CorpusError: They cannot be read.
    """

    def __init__(self, run: Path) -> None:
        self.name, self.run = str(run), run
        self._parts: dict[Part, Sequence[Sample]] = {
            part: read_samples([file]) if (file := run / FILES[part]).is_file() else ()
            for part in HELD_OUT
        }
        self.examples = held_out_examples(self.part("test"))

    def part(self, part: Part) -> Sequence[Sample]:
        """Return the pairs of a held-out part."""
        return self._parts[part]

    def training_samples(self, rng: random.Random) -> Iterator[Sample]:
        """Refuse: of the pairs to learn from there are the tokens only.

        Raises:
            CorpusError: Always.
        """
        raise CorpusError(
            "{name}: of the pairs to learn from only the tokens are kept", name=self.name
        )


def is_large(paths: Sequence[Path]) -> bool:
    """Say whether files hold more than may be held in memory.

    Raises:
        CorpusError: A file cannot be read.
    """
    if unreadable := [path for path in paths if path.exists() and not path.is_file()]:
        # A pipe can be read once, and pairs are read twice.
        raise CorpusError("{path}: not a file; write the pairs into one", path=unreadable[0])
    try:
        return any(path.stat().st_size > LARGEST for path in paths) or any(
            _n_lines(path) > MOST_PAIRS for path in paths
        )
    except OSError as error:
        raise CorpusError("{name}: {why}", name=error.filename, why=error.strerror) from error


def pairs_in(paths: Sequence[Path]) -> Iterator[Sample]:
    """Read one file of two columns, or two files of lines, of any size; a header is skipped.

    Raises:
        CorpusError: A file cannot be read, or a line is no pair (its number is named).
    """
    name = " and ".join(map(str, paths))
    for number, (line, texts) in enumerate(_records(paths)):
        if number == 0 and len(paths) == 1 and is_header(texts):
            continue
        if reason := why_not(texts):
            raise CorpusError("{name}, line {n}: {why}", name=name, n=line, why=reason)
        source, target = texts
        yield Sample(source, target)


def _records(paths: Sequence[Path]) -> Iterator[Record]:
    if len(paths) == 1:
        first = list(islice(_lines(paths[0]), _JUDGED))
        yield from records_of(_lines(paths[0]), chosen_separator(first))
        return
    counts = [_n_lines(path) for path in paths]
    for (one, n), (other, m) in pairwise(zip(paths, counts, strict=True)):
        if n != m:
            raise CorpusError(
                "{one} has {n} lines and {other} has {m}: line by line they must belong together",
                one=one,
                n=n,
                other=other,
                m=m,
            )
    for number, row in enumerate(zip(*map(_lines, paths), strict=True), start=1):
        texts = tuple(map(tidy, row))
        if any(texts):
            yield Record(number, texts)


def _lines(path: Path) -> Iterator[str]:
    """Read lines; the byte-order mark and carriage returns are none of their text."""
    try:
        with path.open("rb") as file:
            number = 0
            while content := file.readline(_LONGEST_LINE + 1):
                number += 1
                if len(content) > _LONGEST_LINE:
                    raise CorpusError(
                        "{path}, line {n}: more than {most} MB without a line end; each "
                        "pair needs a line of its own",
                        path=path,
                        n=number,
                        most=_LONGEST_LINE // 2**20,
                    )
                if number == 1:
                    content = content.removeprefix(b"\xef\xbb\xbf")
                try:
                    yield content.rstrip(b"\r\n").decode("utf-8")
                except UnicodeDecodeError as error:
                    raise CorpusError(
                        "{path}, line {n}: not UTF-8; save the file as UTF-8 and try again",
                        path=path,
                        n=number,
                    ) from error
    except OSError as error:
        raise CorpusError("{path}: {why}", path=path, why=error.strerror) from error


def _n_lines(path: Path) -> int:
    """Return how many lines there are, whether or not the last one ends."""
    n, last = 0, b"\n"
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            n += block.count(b"\n")
            last = block[-1:]
    return n + (last != b"\n")
