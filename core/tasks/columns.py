"""Lines of text as columns: where one line ends and the next begins, quotes or not."""

import csv
import unicodedata
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

JUDGED = 1000
"""So many lines with text say how a file is laid out."""
_LINES_OF_RECORD = 100
"""A quote that is not closed after so many lines is not looked for any further."""
_LONGEST_LINE = 100_000
"""The csv module takes no column that is much longer."""


class Record(NamedTuple):
    """One row of columns, which is more than one line where a line ends between quotes."""

    line: int
    """Where it begins; the first line is 1."""
    texts: tuple[str, ...]
    """Tidy. None at all where quotes do not match."""


def tidy(text: str) -> str:
    r"""Return a text composed (NFC), with one space for all white space between two words.

    >>> tidy("  e\u0301te\u0301\t\u2028 1900 ")
    'été 1900'
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def chosen_separator(lines: Sequence[str]) -> str:
    """Return what stands between the columns, judged by the first 1,000 lines with text.

    A tab, where more than half of the lines hold one: such a file may be full of commas and
    quotes. Otherwise comma or semicolon, by which more records have two columns (a semicolon where
    they are equal: sentences hold commas more often), if those are more than half of the records:
    a plain list of sentences has commas too; then by which more have the same number of columns,
    three or more. Otherwise a tab.
    """
    with_text = (number for number, line in enumerate(lines, start=1) if line.strip())
    numbers = list(islice(with_text, JUDGED))
    if 2 * sum("\t" in lines[number - 1] for number in numbers) > len(numbers):
        return "\t"
    judged = lines[: max(numbers, default=0)]
    sizes = {separator: _sizes(judged, separator) for separator in ";,"}
    for least in (2, 3):
        shares = {each: _share(sizes[each], least) for each in ";,"}
        best = max(shares, key=lambda separator: shares[separator])
        if shares[best] > 0.5:
            return best
    return "\t"


def records_of(lines: Iterable[str], separator: str) -> Iterator[Record]:
    """Yield what is not empty; no more lines are read than a record may have.

    Where quotes do not match there are no columns; the next line is looked at by itself.
    """
    coming = iter(lines)
    ahead: deque[str] = deque()
    number = 1
    while ahead or (ahead := deque(islice(coming, 1))):
        line = ahead[0]
        if separator == "\t" or '"' not in line or len(line) > _LONGEST_LINE:
            columns, n_lines = line.split(separator), 1
        else:
            ahead.extend(islice(coming, _LINES_OF_RECORD - len(ahead)))
            columns, n_lines = _quoted(ahead, separator)
        texts = tuple([tidy(column) for column in columns])
        if not texts or any(texts):
            yield Record(number, texts)
        number += n_lines
        for _ in range(n_lines):
            ahead.popleft()


def _sizes(lines: Sequence[str], separator: str) -> list[int]:
    return [len(texts) for _, texts in records_of(lines, separator)]


def _share(sizes: Sequence[int], n: int) -> float:
    """Return how many of all records have two columns, or as many as most with three or more."""
    counts = Counter(size for size in sizes if (size == 2 if n == 2 else size > 2))
    return max(counts.values(), default=0) / max(1, len(sizes))


def _quoted(lines: Iterable[str], separator: str) -> tuple[list[str], int]:
    """Return the columns of the first record, and how many lines it has."""
    reader = csv.reader(
        (f"{line}\n" for line in lines), delimiter=separator, skipinitialspace=True, strict=True
    )
    try:
        return next(reader), reader.line_num
    except csv.Error:
        return [], 1
