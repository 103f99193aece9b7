"""From the lines of a file to columns: separator, header, and the two columns of the pairs."""

import csv
import json
import re
import unicodedata
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import NamedTuple

from babel import Locale
from babel.core import get_global

from core.messages import Message, MessageError

N_JUDGED = 1000
"""Number of first lines with text, which decide the layout of a file."""
JSON_LINES = ""
"""In place of a separator."""
_LINES_OF_RECORD = 100
"""Maximum lines of a record; an unclosed quote is then an error of its own line."""
_LONGEST_LINE = 100_000
"""Limit of the csv module, about."""
_NO_TEXT = re.compile(r"[\d\s.,:/+-]*")
_ATTRIBUTION = re.compile(r"CC[- ]BY|https?://|tatoeba\.org", re.IGNORECASE)


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
    texts: tuple[int, ...]
    """Columns that may hold sentences, not numbers, codes or attribution."""
    chosen: tuple[int, int] | None
    """Source and target; None if ambiguous."""

    def pair(self, columns: Sequence[str]) -> tuple[str, str]:
        """Return the source and the target among all columns of a line."""
        source, target = self.chosen or (0, 1)
        return columns[source], columns[target]


class Row(NamedTuple):
    """The columns of one record, which may span lines within quotes."""

    line: int
    """Line where it begins; the first is 1."""
    texts: tuple[str, ...]
    """Tidy columns; empty if quotes do not match."""
    raw: str
    """Its first line."""


def tidy(text: str) -> str:
    r"""Return a text in NFC with single spaces between words.

    >>> tidy("  e\u0301te\u0301\t\u2028 1900 ")
    'été 1900'
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def layout_of(first: Sequence[str], reading: Reading) -> Layout:
    """Detect the layout of a file from its first lines with text.

    Raises:
        CorpusError: A column of the reading does not exist.
    """
    if keys := _keys(first):
        return _with_pair(JSON_LINES, keys, list(_objects(first, keys)), reading, has_header=False)
    separator = chosen_separator(first)
    table = [row.texts for row in _records(first, separator)]
    width = _width(table)
    names = table[0] if table else ()
    if len(names) == width - 1:
        # R leaves out the name of the column with the names of rows.
        names = ("", *names)
    others = [texts for texts in table if len(texts) == width and texts != names]
    has_header = reading.header and len(names) == width and _is_header(names, others, reading)
    labels = names if has_header else ("",) * width
    numbered = tuple(name or str(at) for at, name in enumerate(labels, start=1))
    records = [Row(0, texts, "") for texts in table[has_header:] if len(texts) == width]
    return _with_pair(separator, numbered, records, reading, has_header=has_header)


def rows_of(lines: Iterable[str], layout: Layout) -> Iterator[Row]:
    """Yield the columns of each record with text, without the header."""
    if layout.separator == JSON_LINES:
        rows = _objects(lines, layout.names)
    else:
        rows = _records(lines, layout.separator)
    return islice(rows, int(layout.has_header), None)


def chosen_separator(lines: Sequence[str]) -> str:
    """Return the separator of the columns.

    A tab, where more than half of the lines hold one: such a file may be full of commas and
    quotes. Otherwise comma or semicolon, by which more records have two columns (a semicolon where
    they are equal: sentences hold commas more often), if those are more than half of the records:
    a plain list of sentences has commas too; then by which more have the same number of columns,
    three or more. Otherwise a tab.
    """
    if 2 * sum("\t" in line for line in lines) > len(lines):
        return "\t"
    widths = {each: [len(row.texts) for row in _records(lines, each)] for each in ";,"}
    for is_counted in (lambda width: width == 2, lambda width: width > 2):
        shares = {}
        for separator, counted in widths.items():
            counts = Counter(filter(is_counted, counted))
            shares[separator] = max(counts.values(), default=0) / max(1, len(counted))
        best = max(shares, key=lambda separator: shares[separator])
        if shares[best] > 0.5:
            return best
    return "\t"


def _records(lines: Iterable[str], separator: str) -> Iterator[Row]:
    """Yield the non-empty records, reading no more lines ahead than a record may have.

    If quotes do not match there are no columns, and the next line is parsed by itself.
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
            yield Row(number, texts, line)
        number += n_lines
        for _ in range(n_lines):
            ahead.popleft()


def _quoted(lines: Iterable[str], separator: str) -> tuple[list[str], int]:
    """Return the columns of the first record, and its number of lines."""
    reader = csv.reader(
        (f"{line}\n" for line in lines), delimiter=separator, skipinitialspace=True, strict=True
    )
    try:
        return next(reader), reader.line_num
    except csv.Error:
        return [], 1


def _width(rows: Sequence[Sequence[str]]) -> int:
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
    """Return the texts and numbers of a JSON object, with those of objects within it."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    inner = [each for each in content.values() if isinstance(each, dict)]
    together = [pair for each in (content, *inner) for pair in each.items()]
    return {key: str(each) for key, each in together if type(each) in (str, int, float)}


def _objects(lines: Iterable[str], keys: Sequence[str]) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            values = _object(line)
            texts = () if values is None else tuple(tidy(values.get(key, "")) for key in keys)
            yield Row(number, texts, line)


def _with_pair(
    separator: str,
    names: tuple[str, ...],
    rows: Sequence[Row],
    reading: Reading,
    *,
    has_header: bool,
) -> Layout:
    """Return the layout with the two columns of the pairs, if they are unambiguous."""
    columns = list(zip(*(row.texts for row in rows if row.texts), strict=True))
    texts = tuple(at for at in range(len(names)) if at >= len(columns) or _is_text(columns[at]))
    if reading.columns:
        return Layout(separator, names, has_header, texts, _asked(names, reading.columns))
    meanings = {at: column for at, name in enumerate(names) if (column := meaning(name))}
    named = [at for at in meanings if at in texts]
    options = (0, 1) if len(names) == 2 else named if len(named) == 2 else texts
    chosen = (options[0], options[1]) if len(options) == 2 else None
    if chosen and [getattr(meanings.get(at), "role", "") for at in chosen] == ["target", "source"]:
        chosen = chosen[::-1]
    return Layout(separator, names, has_header, texts, chosen)


def _is_text(column: Sequence[str]) -> bool:
    """Say whether a column may hold sentences."""
    if all(map(_NO_TEXT.fullmatch, column)) or all(map(language_code, column)):
        return False
    if len(column) > 2 and len(set(column)) == 1:
        return False
    return 2 * sum(map(bool, map(_ATTRIBUTION.search, column))) <= len(column)


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


# The first line of a file may name its columns by languages (names or codes), or as source and
# target.

_ROLES = {
    word: role
    for role, words in {
        "source": "source src from input original question 1 源 源文 原文 问题",
        "target": "target tgt to output translation answer 2 目标 译文 翻译 答案",
        "": "text texts sentence sentences word words phrase",
    }.items()
    for word in words.split()
}
_NAMING = ("en", "zh", "zh_Hant", "fr", "de", "es", "it", "pt", "nl", "ru", "ja", "ko", "ar")
"""Languages in which names of languages are known (from CLDR)."""
_CODE = re.compile(r"([a-z]{2,3})((?:[-_][a-z]{4})?(?:[-_](?:[a-z]{2}|\d{3}))?)")


class Meaning(NamedTuple):
    """The meaning of a column's name."""

    language: str
    """A code; empty if no language is named."""
    role: str
    """source, target, or empty."""


def _is_header(names: Sequence[str], rows: Sequence[Sequence[str]], reading: Reading) -> bool:
    """Say whether the first line names the columns, which includes a word above numbers."""
    folded = [name.casefold() for name in names]
    asked = [each.casefold() for each in reading.columns if isinstance(each, str)]
    if any(each in folded and not each.isdecimal() for each in asked) or names_columns(names):
        return True
    return len(names) > 2 and any(
        rows and not _NO_TEXT.fullmatch(name or "x") and all(map(str.isdecimal, column))
        for name, column in zip(names, zip(*rows, strict=True), strict=False)
    )


def names_columns(texts: Sequence[str]) -> bool:
    """Say whether texts name two different languages, or a source and a target.

    A word in two languages ("English", "anglais") is a pair, and so are codes of different length
    ("is", "est"). Of more than two columns, the others may have any name.
    """
    meanings = [each for each in map(meaning, texts) if each]
    n_letters = {len(text) for text in texts if language_code(text)}
    if any(text.isdecimal() for text in texts) or len(meanings) < 2:
        return False
    if len(texts) == 2 and n_letters == {2, 3}:
        return False
    languages = [each.language for each in meanings if each.language]
    if len(languages) == len(meanings):
        return len(set(languages)) == len(languages)
    roles = {each.role for each in meanings}
    return len(roles) > 1 and ("target" in roles or bool(languages))


def meaning(name: str) -> Meaning | None:
    """Return the meaning of a column's name; None for any other text.

    >>> meaning("English words/sentences"), meaning("译文"), meaning("Good morning")
    (Meaning(language='en', role=''), Meaning(language='', role='target'), None)
    """
    if code := language_code(name):
        return Meaning(code, "")
    # sourceText and sentence1 are two words.
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[^\W\d_])(?=\d)", " ", name)
    words = re.findall(r"[^\W\d_]+|\d+", apart.casefold())
    roles = {_ROLES[word] for word in words if word in _ROLES} - {""}
    rest = " ".join(word for word in words if word not in _ROLES)
    language = _languages().get(rest) or language_code(rest)
    if not any(map(str.isalpha, name)) or (rest and not language) or len(roles) > 1:
        return None
    return Meaning(language, roles.pop() if roles else "")


def language_code(text: str) -> str:
    """Return the language of a code, as `en`, `eng`, `zh-CN` or `eng_Latn`; empty for another text.

    >>> language_code("fra"), language_code("pt_BR"), language_code("the")
    ('fr', 'pt_br', '')
    """
    if not (match := _CODE.fullmatch(text.casefold())):
        return ""
    code, rest = match[1], match[2].replace("-", "_")
    if code not in Locale("en").languages:
        code = get_global("language_aliases").get(code, "").partition("_")[0]
    return code and code + rest


@cache
def _languages() -> dict[str, str]:
    """Return names of languages → their codes; a name of two is that of the first."""
    codes: dict[str, str] = {}
    for naming in _NAMING:
        for code, name in Locale.parse(naming).languages.items():
            codes.setdefault(name.casefold(), code)
    return codes
