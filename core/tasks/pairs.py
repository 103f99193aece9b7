"""Sentence pairs from files: a file of two columns, or two files of lines."""

import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from ..messages import N_, Message
from .columns import (
    JSON_LINES,
    N_JUDGED,
    CorpusError,
    Layout,
    Reading,
    Row,
    layout_of,
    rows_of,
    tidy,
)
from .task import Sample

LARGEST = 50 * 2**20
"""Maximum bytes of a file in memory."""
MOST_PAIRS = 200_000
"""Maximum rows of such a file, without the header."""
LONGEST_TEXT = 2000
"""Maximum characters of a sentence."""
LONGEST_LINE = 1 << 20
"""Maximum characters of a line."""
N_NAMED = 5
"""Number of lines without a pair that a note lists."""
FOUND = Reading()
_GZIP = b"\x1f\x8b"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_TWO_FILES = Layout("\t", ("1", "2"), has_header=False, chosen=(0, 1))


class TooLargeError(CorpusError):
    """A file that is too large for memory."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that is not a pair."""

    line: int
    """Where it begins in the file; the first line is 1."""
    reason: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of a file; every non-empty line is accounted for."""

    name: str
    rows: tuple[Sample, ...]
    """All pairs, repeated ones included."""
    refused: tuple[Refused, ...]
    layout: Layout

    @property
    def samples(self) -> tuple[Sample, ...]:
        """Distinct pairs, in the order of the file."""
        return tuple(dict.fromkeys(self.rows))

    @property
    def notes(self) -> list[str]:
        """Notes for the user: the columns, and skipped lines."""
        first = [(each.line, each.reason) for each in self.refused[:N_NAMED]]
        return notes(self.name, self.layout, len(self.refused), first)


class PairFile:
    """One file of two columns, or two files of lines, which are read anew each time.

    A file is UTF-8, plain or in gzip. Columns stand between tabs, commas or semicolons, or each
    line is a JSON object. Quotes are ordinary characters where a tab separates the columns;
    elsewhere they are read as CSV.

    Args:
        files: The files, or their contents.
        names: Names of the files in messages.
        reading: Options for reading.

    Raises:
        CorpusError: A file cannot be read, or has no such columns.
    """

    def __init__(
        self, files: Sequence[Path | bytes], names: Sequence[str], reading: Reading = FOUND
    ) -> None:
        self._files, self._names, self._strict = files, names, reading.strict
        self.name = " and ".join(names)
        self.layout = _TWO_FILES
        if len(files) == 1:
            self.layout = layout_in(files[0], names[0], reading)

    def rows(self) -> Iterator[tuple[Row, str]]:
        """Yield each row, and why it is not a pair; empty if it is one.

        Raises:
            CorpusError: A file cannot be read, or a line is no pair where the reading is strict.
        """
        texts = [lines_of(*each) for each in zip(self._files, self._names, strict=True)]
        rows = rows_of(texts[0], self.layout) if len(texts) == 1 else self._rows_of_two(texts)
        for row in rows:
            reason = why_not(row.texts, self.layout)
            if reason and self._strict:
                raise _at(self.name, row.line, reason)
            yield row, reason

    def n_lines(self) -> int:
        """Return the number of lines of the first file."""
        return sum(1 for _ in lines_of(self._files[0], self._names[0]))

    def _rows_of_two(self, texts: Sequence[Iterator[str]]) -> Iterator[Row]:
        n, m = (
            sum(1 for _ in lines_of(*each)) for each in zip(self._files, self._names, strict=True)
        )
        if n != m:
            one, other = self._names
            raise CorpusError(
                "{one} has {n} lines and {other} has {m}: line by line they must belong together",
                one=one,
                n=n,
                other=other,
                m=m,
            )
        for number, row in enumerate(zip(*texts, strict=True), start=1):
            columns = tuple(map(tidy, row))
            if any(columns):
                yield Row(number, columns)


def read_pairs(
    contents: bytes | Sequence[bytes], name: str | Sequence[str], reading: Reading = FOUND
) -> Pairs:
    """Read the pairs of one file of two columns, or of two files of lines, into memory.

    Args:
        contents: The content of the file, or of each file.
        name: The name of the file, or of each file, in messages.
        reading: Options for reading.

    Raises:
        CorpusError: There is no pair, or a line is no pair where the reading is strict.
        TooLargeError: There is more than may be held in memory.
    """
    contents = [contents] if isinstance(contents, bytes) else contents
    names = [name] if isinstance(name, str) else name
    file = PairFile(contents, names, reading)
    samples: dict[tuple[str, str], Sample] = {}
    rows: list[Sample] = []
    refused: list[Refused] = []
    for number, (row, reason) in enumerate(file.rows()):
        if number == MOST_PAIRS:
            why = Message("more than {n} pairs; use the lines before", n=MOST_PAIRS)
            raise _at(file.name, row.line, why, TooLargeError)
        if reason:
            refused.append(Refused(row.line, reason))
            continue
        texts = file.layout.pair(row.texts)
        # Repeated pairs share one object.
        rows.append(samples.setdefault(texts, Sample(*texts)))
    if not rows and not file.layout.has_header:
        raise CorpusError(
            "{name}: there are no pairs in it; put a tab, or in most lines a comma or a semicolon, "
            "between source and target",
            name=file.name,
        )
    return Pairs(file.name, tuple(rows), tuple(refused), file.layout)


def read_pair_files(paths: Sequence[Path], reading: Reading = FOUND) -> Pairs:
    """Read the pairs of files into memory, as `read_pairs` does.

    Raises:
        CorpusError: A file cannot be read, or as `read_pairs`.
    """
    return read_pairs([_content(path) for path in paths], list(map(str, paths)), reading)


def layout_in(file: Path | bytes, name: str, reading: Reading = FOUND) -> Layout:
    """Return the layout of a file of pairs.

    Raises:
        CorpusError: The file cannot be read, or has no such columns.
    """
    lines = list(islice((line for line in lines_of(file, name) if line.strip()), N_JUDGED))
    try:
        return layout_of(lines, reading)
    except CorpusError as error:
        raise CorpusError("{path}: {why}", path=name, why=error.args[0]) from error


def as_tsv(samples: Iterable[Sample]) -> bytes:
    """Return pairs as a file that `read_pairs` reads back."""
    # Always with a header, so that the first pair is never mistaken for one.
    rows = ["source\ttarget\n", *(f"{each.source}\t{each.target}\n" for each in samples)]
    return "".join(rows).encode()


def notes(name: str, layout: Layout, n_refused: int, first: Sequence[tuple[int, str]]) -> list[str]:
    """Return notes on a file for the user: its columns, and skipped lines."""
    texts: list[str] = []
    if layout.has_header:
        names = ", ".join(layout.names)
        texts.append(
            Message("{name}: the first line names columns: {names}", name=name, names=names)
        )
    if len(layout.names) > 2:
        source, target = layout.pair(layout.names)
        text = "{name}: source is column {source}, target is column {target}"
        texts.append(Message(text, name=name, source=source, target=target))
    if n_refused:
        lines = ", ".join(f"line {line}: {why}" for line, why in first)
        more = ", …" if n_refused > len(first) else ""
        text = "{name}: lines without a pair are left out ({n}): {lines}"
        texts.append(Message(text, name=name, n=n_refused, lines=f"{lines}{more}"))
    return texts


def lines_of(file: Path | bytes, name: str) -> Iterator[str]:
    """Yield the lines of a text file without their ends.

    Raises:
        CorpusError: It cannot be read, is no text in UTF-8, or has too long a line.
        TooLargeError: A content has more bytes than may be held in memory, packed or not.
    """
    number = 0
    try:
        with _opened(file) as packed:
            binary = _unpacked(packed)
            if isinstance(file, bytes):
                # One byte more than is allowed shows that a file is too large.
                binary = io.BytesIO(binary.read(LARGEST + 1))
                _require_size(len(binary.getbuffer()), name)
            text = io.TextIOWrapper(binary, "utf-8-sig")
            while line := text.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise CorpusError(
                        "{path}, line {n}: more than {most} MB without a line end; each "
                        "pair needs a line of its own",
                        path=name,
                        n=number,
                        most=LONGEST_LINE // 2**20,
                    )
                yield line.rstrip("\n")
    except UnicodeDecodeError as error:
        why = "{name}: not UTF-8; save the file as UTF-8 and try again"
        raise CorpusError(why, name=name) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise CorpusError("{name}: a damaged gzip file: {why}", name=name, why=error) from error
    except OSError as error:
        raise CorpusError("{path}: {why}", path=name, why=error.strerror) from error


def require_file(path: Path) -> None:
    """Refuse a pipe or a folder: training pairs may be read several times.

    Raises:
        CorpusError: It is one.
    """
    if path.exists() and not path.is_file():
        raise CorpusError("{path}: not a file; write the pairs into one", path=path)


def _opened(file: Path | bytes) -> BinaryIO:
    if isinstance(file, bytes):
        return io.BytesIO(file)
    require_file(file)
    return file.open("rb")


def _unpacked(packed: BinaryIO) -> BinaryIO:
    """Return a file as it was before gzip packed it."""
    is_gzip = packed.read(len(_GZIP)) == _GZIP
    packed.seek(0)
    # A `GzipFile` reads as other files do.
    return cast(BinaryIO, gzip.GzipFile(fileobj=packed)) if is_gzip else packed


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise CorpusError("{path}: {why}", path=path, why=error.strerror) from error


def _require_size(n_bytes: int, name: str) -> None:
    if n_bytes > LARGEST:
        raise TooLargeError(
            "{name}: more than {n} MB of text; use a part of it", name=name, n=LARGEST // 2**20
        )


def why_not(columns: Sequence[str], layout: Layout) -> str:
    """Return why the columns of a line are not a pair; empty if they are one."""
    if not columns and layout.separator == JSON_LINES:
        return Message("it is no JSON object")
    if len(columns) != len(layout.names):
        return Message("columns: {n}, not {width}", n=len(columns), width=len(layout.names))
    texts = layout.pair(columns)
    for which, text in zip((N_("the source"), N_("the target")), texts, strict=True):
        column = Message(which)
        if not text:
            return Message("{column} is empty", column=column)
        if len(text) > LONGEST_TEXT:
            long = N_("{column} has {n} characters, more than {most}")
            return Message(long, column=column, n=len(text), most=LONGEST_TEXT)
        if _CONTROL.search(text):
            return Message("{column} holds a control character", column=column)
    return ""


def _at(name: str, line: int, why: str, error: type[CorpusError] = CorpusError) -> CorpusError:
    # Without commas: line numbers are looked up in an editor.
    return error(Message("{name}, line {line}: {why}", name=name, line=line, why=why))
