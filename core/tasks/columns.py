"""From the lines of a file to columns: separator, header, and the two columns of the pairs."""

import csv
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from ..messages import Message, MessageError

N_JUDGED = 1000
"""Number of first lines with text, which decide the layout of a file."""
JSON_LINES = ""
"""In place of a separator."""
_ROLES = (
    *(("source", "target"), ("src", "tgt"), ("input", "output"), ("question", "answer")),
    *(("源文", "目标"), ("原文", "译文"), ("问题", "答案")),
)
_LANGUAGES = frozenset(
    (
        *("english", "chinese", "french", "german", "spanish", "italian", "portuguese", "dutch"),
        *("russian", "japanese", "korean", "arabic", "en", "zh", "fr", "de", "es", "it", "pt"),
        *("nl", "ru", "ja", "ko", "ar", "英文", "中文", "英语", "汉语"),
    )
)
_NO_TEXT = re.compile(r"[\d\s.,:/+-]*")


class CorpusError(MessageError, ValueError):
    """A file of pairs that cannot be used; the message names the line and what is wrong."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The user's options for reading a file of pairs."""

    columns: tuple[int | str, ...] = ()
    """Columns of source and target: names, numbers as text (from 1), or indices (from 0); empty
    to detect them."""
    header: bool = True
    """Whether the first line may name the columns; otherwise it is a pair."""
    strict: bool = False
    """Whether a line that is not a pair is an error; otherwise it is skipped."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a file."""

    separator: str
    """A tab, a comma or a semicolon; empty if each line is a JSON object."""
    names: tuple[str, ...]
    """Names of all columns; numbers from 1 for missing names."""
    has_header: bool
    """Whether the first line names them."""
    chosen: tuple[int, int]
    """Source and target."""

    def pair(self, columns: Sequence[str]) -> tuple[str, str]:
        """Return the source and the target among all columns of a line."""
        source, target = self.chosen
        return columns[source], columns[target]


class Row(NamedTuple):
    """The columns of one record, which may span lines within quotes."""

    line: int
    """Line where it begins; the first is 1."""
    texts: tuple[str, ...]
    """Tidy columns; empty if the line is no JSON object."""


def tidy(text: str) -> str:
    r"""Return a text in NFC with single spaces between words.

    >>> tidy("  e\u0301te\u0301 \t\u2028 1900 ")
    'été 1900'
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def layout_of(first: Sequence[str], reading: Reading) -> Layout:
    """Detect the layout of a file from its first lines with text.

    The first line is a header if it names source and target, two languages, or a column that the
    user names. Without a header, the first two columns that hold more than numbers are the pair.

    Raises:
        CorpusError: A column of the reading does not exist.
    """
    if keys := _keys(first):
        return Layout(JSON_LINES, keys, False, _chosen(keys, (), reading))
    separator = chosen_separator(first)
    table = [row.texts for row in _records(first, separator)]
    width = _most_common_width(table)
    names = table[0] if table and len(table[0]) == width else ("",) * width
    has_header = reading.header and _is_header(names, reading)
    labels = names if has_header else ("",) * width
    numbered = tuple(name or str(at) for at, name in enumerate(labels, start=1))
    rows = [texts for texts in table[has_header:] if len(texts) == width]
    return Layout(separator, numbered, has_header, _chosen(numbered, rows, reading))


def rows_of(lines: Iterable[str], layout: Layout) -> Iterator[Row]:
    """Yield the columns of each record with text, without the header."""
    if layout.separator == JSON_LINES:
        rows = _objects(lines, layout.names)
    else:
        rows = _records(lines, layout.separator)
    return islice(rows, int(layout.has_header), None)


def chosen_separator(lines: Sequence[str]) -> str:
    """Return the separator of the columns.

    A tab if more than half of the lines hold one; otherwise the comma or semicolon that gives more
    than half of the lines the same number of columns; otherwise a tab.
    """
    if 2 * sum("\t" in line for line in lines) > len(lines):
        return "\t"
    shares = {}
    for separator in ";,":
        widths = [len(row.texts) for row in _records(lines, separator)]
        counts = Counter(width for width in widths if width > 1)
        shares[separator] = max(counts.values(), default=0) / max(1, len(widths))
    # Of equal ones the semicolon: sentences hold commas more often.
    best = max(shares, key=lambda separator: shares[separator])
    return best if shares[best] > 0.5 else "\t"


def _records(lines: Iterable[str], separator: str) -> Iterator[Row]:
    """Yield the non-empty records: plain columns between tabs, CSV between other separators."""
    if separator == "\t":
        split: Iterator[tuple[int, list[str]]]
        split = ((number, line.split("\t")) for number, line in enumerate(lines, start=1))
    else:
        split = _csv_records(lines, separator)
    for number, columns in split:
        texts = tuple([tidy(column) for column in columns])
        if any(texts):
            yield Row(number, texts)


def _csv_records(lines: Iterable[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator, skipinitialspace=True)
    number = 1
    try:
        for columns in reader:
            yield number, columns
            number = reader.line_num + 1
    except csv.Error as error:
        text = "line {line}: a quote begins a column, and none ends it"
        raise CorpusError(text, line=number) from error


def _most_common_width(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of columns of most lines with more than one; 2 without such lines."""
    counts = Counter(len(texts) for texts in rows if len(texts) > 1)
    return max(counts, key=lambda width: (counts[width], -width), default=2)


def _keys(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of JSON objects, one on each line; none where the first line is no object."""
    if not lines or _object(lines[0]) is None:
        return ()
    objects = (each for each in map(_object, lines) if each)
    return tuple(dict.fromkeys(key for each in objects for key in each))


def _object(line: str) -> dict[str, str] | None:
    """Return the texts of a JSON object, with those of objects within it."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    inner = [each for each in content.values() if isinstance(each, dict)]
    together = [pair for each in (content, *inner) for pair in each.items()]
    return {key: each for key, each in together if isinstance(each, str)}


def _objects(lines: Iterable[str], keys: Sequence[str]) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            values = _object(line)
            texts = () if values is None else tuple(tidy(values.get(key, "")) for key in keys)
            yield Row(number, texts)


def _is_header(names: Sequence[str], reading: Reading) -> bool:
    folded = [name.casefold() for name in names]
    asked = [each.casefold() for each in reading.columns if isinstance(each, str)]
    named = any(each in folded and not each.isdecimal() for each in asked)
    return named or _named_pair(names) is not None


def _named_pair(names: Sequence[str]) -> tuple[int, int] | None:
    """Return the columns named source and target, or else after two languages."""
    folded = [name.casefold() for name in names]
    for source, target in _ROLES:
        if source in folded and target in folded:
            return folded.index(source), folded.index(target)
    languages = [at for at, name in enumerate(folded) if name in _LANGUAGES]
    return (languages[0], languages[1]) if len(languages) == 2 else None


def _chosen(
    names: Sequence[str], rows: Sequence[Sequence[str]], reading: Reading
) -> tuple[int, int]:
    """Return the columns of source and target."""
    if reading.columns:
        return _asked(names, reading.columns)
    if named := _named_pair(names):
        return named
    columns = list(zip(*rows, strict=True))
    texts = [at for at, column in enumerate(columns) if not all(map(_NO_TEXT.fullmatch, column))]
    options = texts if len(names) > 2 and len(texts) >= 2 else range(max(2, len(names)))
    return options[0], options[1]


def _asked(names: Sequence[str], columns: Sequence[int | str]) -> tuple[int, int]:
    """Return the columns that the user names."""
    if len(columns) != 2:
        raise CorpusError("two columns are needed, of source and target, as in en,fr or 1,2")
    one, other = (_index(names, column) for column in columns)
    if one == other:
        raise CorpusError("source and target are two columns, not both {name}", name=names[one])
    return one, other


def _index(names: Sequence[str], column: int | str) -> int:
    at = column if isinstance(column, int) else int(column) - 1 if column.isdecimal() else -1
    if isinstance(column, str):
        folded = [name.casefold() for name in names]
        at = folded.index(column.casefold()) if column.casefold() in folded else at
    if not 0 <= at < len(names):
        text = "there is no column {wanted} among {names}"
        raise CorpusError(Message(text, wanted=column, names=", ".join(names)))
    return at
