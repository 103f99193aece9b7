"""The user's own pairs where they are too many to be held in memory: read from their files.

They are read line by line and twice: to know what is in them, and to be split to tokens.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path

from core.tasks.columns import JUDGED, Record, tidy
from core.tasks.corpus import (
    FEWEST_SOURCES,
    FILES,
    HELD_OUT,
    SHARE,
    OwnPairs,
    found_in,
    held_out_examples,
    notes,
    read_samples,
)
from core.tasks.layout import CorpusError, Layout, Reading, records
from core.tasks.packed import require_text, unzipped
from core.tasks.pairs import (
    FOUND,
    LARGEST,
    MOST_PAIRS,
    TOLD,
    TWO_FILES,
    clear_layout,
    told_of,
    why_not,
)
from core.tasks.split import place
from core.tasks.task import Part, Sample

HELD_OUT_PAIRS = 5000
"""About so many are split off for a part at most, however many there are."""
AT_HAND = 100_000
"""So many of those to learn from are kept in memory: the tokenizer learns its pieces from them."""
TOLD_EVERY = 100_000
"""Pairs that are read."""
_LONGEST_LINE = 1 << 20
"""A line has at most so many bytes."""
Tell = Callable[[int], None]


class LeftOut:
    """Lines that are no pairs: how many, and the first of them."""

    def __init__(self) -> None:
        self.n = 0
        self.first: list[tuple[int, str]] = []

    def note(self, line: int, why: str) -> None:
        """Count a line that is left out, and why."""
        self.n += 1
        if len(self.first) < TOLD:
            self.first.append((line, why))


class LargeCorpus(OwnPairs):
    """Pairs to learn from in files, and two held-out parts in memory.

    Args:
        train: One file of two columns, or two files of lines; UTF-8, or that in gzip.
        valid: Files of the pairs by which a training is watched; none to split the part off.
        test: Of those by which the trained model is measured; the same.
        tell: Called with the number of pairs that were read so far.
        reading: What is not to be judged by the files.

    Raises:
        CorpusError: A file cannot be read, a line is no pair where the reading is strict, or there
            are too few pairs.
    """

    def __init__(
        self,
        train: Sequence[Path],
        valid: Sequence[Path] = (),
        test: Sequence[Path] = (),
        tell: Tell = lambda _: None,
        reading: Reading = FOUND,
    ) -> None:
        self.name = " and ".join(map(str, train))
        self._files, self._reading = train, reading
        own = {"valid": valid, "test": test}
        found = {part: found_in(own[part], reading) for part in HELD_OUT if own[part]}
        self.given: dict[Part, list[Sample]] = {
            part: list(each.samples) for part, each in found.items()
        }
        """The held-out parts with files of their own."""
        missing = [part for part in HELD_OUT if part not in self.given]
        share = min(SHARE, HELD_OUT_PAIRS / max(1, _size(train[0])[1]))
        self._ends = {part: number * share for number, part in enumerate(missing, start=1)}
        self._parts: dict[Part, list[Sample]] = {part: [] for part in missing} | self.given
        self._at_hand: list[Sample] = []
        self._in_both: dict[Part, set[str]] = {part: set() for part in self.given}
        self.n_pairs = self.n_train = 0
        left_out = self._look_through(tell)
        self.notes = (
            *told_of(self.name, _layout(train, reading), left_out.n, left_out.first),
            *(
                note
                for part, each in found.items()
                for note in notes(" and ".join(map(str, own[part])), each)
            ),
        )
        if self.n_train < FEWEST_SOURCES or not all(self._parts.values()):
            raise CorpusError("{name}: too few pairs to learn from and to test on", name=self.name)
        self.examples = held_out_examples(self.part("test"))

    def _look_through(self, tell: Tell) -> LeftOut:
        """Put each pair into its part; return what is left out."""
        left_out = LeftOut()
        rng = random.Random("at hand")
        watched = {
            part: {sample.source for sample in samples} for part, samples in self.given.items()
        }
        for number, sample in enumerate(
            pairs_in(self._files, self._reading, left_out.note), start=1
        ):
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
        return left_out

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
        for sample in pairs_in(self._files, self._reading):
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
            part: read_samples(file) if (file := run / FILES[part]).is_file() else ()
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
        if any(path.stat().st_size > LARGEST for path in paths):
            return True
        sizes = map(_size, paths)
        return any(n_bytes > LARGEST or n_lines > MOST_PAIRS for n_bytes, n_lines in sizes)
    except OSError as error:
        raise CorpusError("{name}: {why}", name=error.filename, why=error.strerror) from error


def pairs_in(
    paths: Sequence[Path],
    reading: Reading = FOUND,
    leave_out: Callable[[int, str], None] = lambda _line, _why: None,
) -> Iterator[Sample]:
    """Read one file of two columns, or two files of lines, of any size; a header is skipped.

    Args:
        paths: The files.
        reading: What is not to be judged by them.
        leave_out: Called with the number of each line that is no pair, and why it is none.

    Raises:
        CorpusError: A file cannot be read, or a line is no pair where the reading is strict.
    """
    name = " and ".join(map(str, paths))
    layout = _layout(paths, reading)
    for line, columns in _records(paths, layout):
        if reason := why_not(columns, layout):
            if reading.strict:
                raise CorpusError("{name}, line {n}: {why}", name=name, n=line, why=reason)
            leave_out(line, reason)
        else:
            yield Sample(*layout.pair(columns))


def _layout(paths: Sequence[Path], reading: Reading) -> Layout:
    if len(paths) == 2:
        return TWO_FILES
    return clear_layout(list(islice(_lines(paths[0]), JUDGED)), str(paths[0]), reading)


def _records(paths: Sequence[Path], layout: Layout) -> Iterator[Record]:
    if len(paths) == 1:
        yield from records(_lines(paths[0]), layout)
        return
    counts = [_size(path)[1] for path in paths]
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
        with path.open("rb") as packed, unzipped(packed, str(path)) as file:
            number = 0
            while content := file.readline(_LONGEST_LINE + 1):
                number += 1
                if number == 1:
                    require_text(content, str(path))
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


def _size(path: Path) -> tuple[int, int]:
    """Return how many bytes and lines there are, whether or not the last line ends."""
    n_bytes, n, last = 0, 0, b"\n"
    with path.open("rb") as packed, unzipped(packed, str(path)) as file:
        while block := file.read(1 << 22):
            n_bytes += len(block)
            n += block.count(b"\n")
            last = block[-1:]
    return n_bytes, n + (last != b"\n")
