"""How a file of pairs is laid out: what separates its columns, and which two hold the pairs."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.messages import Message, MessageError
from core.tasks.columns import JUDGED, Record, chosen_separator, records_of, tidy
from core.tasks.header import SOURCE, TARGET, is_header, language_code, named_columns

JSON_LINES = ""
"""In place of a separator."""
_NO_TEXT = re.compile(r"[\d\s.,:/+-]*")
_ATTRIBUTION = re.compile(r"CC[- ]BY|https?://|tatoeba\.org", re.IGNORECASE)


class CorpusError(MessageError, ValueError):
    """A file of pairs that cannot be used; the message names the line and what is wrong."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file of pairs is to be read, where it is not left to what is found in it."""

    columns: tuple[int | str, ...] = ()
    """Of source and target: names, numbers as text (from 1), or indices (from 0)."""
    header: bool = True
    """Whether the first line may name the columns; otherwise it is a pair."""
    strict: bool = False
    """Whether a line that is no pair is an error; otherwise it is left out."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What separates the columns of a file, what they are called, and which hold the pairs."""

    separator: str
    """A tab, a comma or a semicolon; empty where each line is a JSON object."""
    names: tuple[str, ...]
    """Of all columns; of those that have none, how they are counted from 1."""
    has_header: bool
    """Whether the first line names them."""
    texts: tuple[int, ...]
    """The columns that may hold sentences: no numbers, no codes, no attribution."""
    chosen: tuple[int, int] | None
    """Source and target; None where more than two columns may be meant."""

    def pair(self, columns: Sequence[str]) -> tuple[str, str]:
        """Return the source and the target among all columns of a line, where it is clear which."""
        source, target = self.chosen or (0, 1)
        return columns[source], columns[target]


def layout_of(lines: Iterable[str], reading: Reading) -> Layout:
    """Judge the first lines of a file.

    Raises:
        CorpusError: A column that is asked for is not there.
    """
    first = list(islice((line for line in lines if line.strip()), JUDGED))
    keys = _keys(first)
    if keys:
        return _chosen(JSON_LINES, keys, list(_objects(first, keys)), reading, has_header=False)
    separator = chosen_separator(first)
    rows = list(records_of(first, separator))
    width = _width(rows)
    names = tuple(rows[0].texts) if rows else ()
    if len(names) == width - 1:
        # R leaves out the name of the column with the names of rows.
        names = ("", *names)
    rows = [row for row in rows if len(row.texts) == width]
    has_header = reading.header and len(names) == width and _names_columns(names, rows, reading)
    if has_header and rows and rows[0].texts == names:
        del rows[0]
    called = names if has_header else ("",) * width
    numbered = tuple(name or str(at) for at, name in enumerate(called, start=1))
    return _chosen(separator, numbered, rows, reading, has_header=has_header)


def records(lines: Iterable[str], layout: Layout) -> Iterator[Record]:
    """Yield the columns of each line with text, the header left out; none where it has none."""
    if layout.separator == JSON_LINES:
        found = _objects(lines, layout.names)
    else:
        found = records_of(lines, layout.separator)
    return islice(found, int(layout.has_header), None)


def _width(rows: Sequence[Record]) -> int:
    """Return how many columns most lines have that have more than one, and 2 without those."""
    counts = Counter(len(row.texts) for row in rows if len(row.texts) > 1)
    return max(counts, key=lambda width: (counts[width], -width), default=2)


def _names_columns(names: Sequence[str], rows: Sequence[Record], reading: Reading) -> bool:
    """Say whether the first line names the columns: it does where only it has a word for numbers.

    A column that is asked for by its name is named.
    """
    folded = [name.casefold() for name in names]
    asked = [name for name in reading.columns if isinstance(name, str)]
    if any(name.casefold() in folded and not name.isdecimal() for name in asked):
        return True
    if is_header(names):
        return True
    others = [row.texts for row in rows if row.texts != tuple(names)]
    return len(names) > 2 and any(
        others and not _NO_TEXT.fullmatch(name or "x") and all(map(str.isdecimal, column))
        for name, column in zip(names, zip(*others, strict=True), strict=False)
    )


def _chosen(
    separator: str,
    names: tuple[str, ...],
    rows: Sequence[Record],
    reading: Reading,
    *,
    has_header: bool,
) -> Layout:
    """Find the two columns that hold the pairs."""
    columns = list(zip(*(row.texts for row in rows if row.texts), strict=True))
    texts = tuple(at for at in range(len(names)) if at >= len(columns) or _is_text(columns[at]))
    chosen = _asked(names, reading) if reading.columns else None
    if chosen is None and len(names) == 2:
        chosen = (0, 1)
    elif chosen is None:
        named = [at for at in named_columns(names) if at in texts]
        found = named if len(named) == 2 else texts
        chosen = (found[0], found[1]) if len(found) == 2 else None
    if chosen and not reading.columns:
        roles = {at: each.role for at, each in named_columns(names).items()}
        if (roles.get(chosen[0]), roles.get(chosen[1])) == (TARGET, SOURCE):
            chosen = chosen[::-1]
    return Layout(separator, names, has_header, texts, chosen)


def _is_text(column: Sequence[str]) -> bool:
    """Say whether a column may hold sentences."""
    if all(map(_NO_TEXT.fullmatch, column)) or all(map(language_code, column)):
        return False
    if len(column) > 2 and len(set(column)) == 1:
        return False
    return 2 * sum(map(bool, map(_ATTRIBUTION.search, column))) <= len(column)


def _asked(names: Sequence[str], reading: Reading) -> tuple[int, int]:
    """Return the columns that are asked for."""
    if len(reading.columns) != 2:
        raise CorpusError("two columns are needed, of source and target, as in en,fr or 1,2")
    one, other = (_place(names, wanted) for wanted in reading.columns)
    if one == other:
        raise CorpusError("source and target are two columns, not both {name}", name=names[one])
    return one, other


def _place(names: Sequence[str], wanted: int | str) -> int:
    if isinstance(wanted, str):
        folded = [name.casefold() for name in names]
        if wanted.casefold() in folded:
            return folded.index(wanted.casefold())
        at = int(wanted) - 1 if wanted.isdecimal() else -1
    else:
        at = wanted
    if not 0 <= at < len(names):
        said = "there is no column {wanted} among {names}"
        raise CorpusError(Message(said, wanted=wanted, names=", ".join(names)))
    return at


def _keys(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of JSON objects, one on each line; none where the first line is no object."""
    if not lines or _object(lines[0]) is None:
        return ()
    found = (each for each in map(_object, lines) if each)
    return tuple(dict.fromkeys(key for each in found for key in each))


def _object(line: str) -> dict[str, str] | None:
    """Return the texts and numbers of a JSON object, those of objects within it too."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    inner = [each for each in found.values() if isinstance(each, dict)]
    together = [pair for each in (found, *inner) for pair in each.items()]
    return {key: str(each) for key, each in together if type(each) in (str, int, float)}


def _objects(lines: Iterable[str], keys: Sequence[str]) -> Iterator[Record]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            found = _object(line)
            texts = () if found is None else tuple(tidy(found.get(key, "")) for key in keys)
            yield Record(number, texts)
