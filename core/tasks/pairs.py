"""Sentence pairs from a file as people have it: two columns, good lines and bad ones."""

import codecs
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.messages import N_, Message, SaidError
from core.tasks.columns import Record, chosen_separator, records_of, tidy
from core.tasks.task import Sample
from core.words import INVISIBLE, shortened

LARGEST = 50 * 2**20
"""A file has at most so many bytes."""
MOST_PAIRS = 200_000
"""A file has at most so many lines with text, the header left out."""
MOST_LINES = 5 * MOST_PAIRS
"""A file has at most so many lines, empty ones included."""
LONGEST_TEXT = 2000
"""A sentence has at most so many characters."""

HEADERS = {
    ("source", "target"),
    ("src", "tgt"),
    ("src", "trg"),
    ("input", "output"),
    ("from", "to"),
    ("text", "translation"),
    ("sentence", "translation"),
    ("original", "translation"),
    ("question", "answer"),
    ("prompt", "response"),
}
_CODES = {"en", "de", "fr", "es", "it", "pt", "nl"}
LANGUAGES = _CODES | {"english", "german", "french", "spanish", "italian", "portuguese", "dutch"}
"""Two different ones of these are a header too."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SHOWN = 60


class CorpusError(SaidError, ValueError):
    """A file of pairs that cannot be used; the message names the line and what is wrong."""


class TooLargeError(CorpusError):
    """More than may be held in memory."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that is no pair."""

    line: int
    """Where it begins in the file; the first line is 1."""
    reason: str
    text: str
    """Its first characters, as they can be shown: ␉ for a tab, ␀ for NUL."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """What a file holds, with every line accounted for; only empty ones are not mentioned."""

    samples: tuple[Sample, ...]
    """The different pairs, in the order of the file."""
    rows: tuple[Sample, ...]
    """All pairs, as often as they stand there."""
    refused: tuple[Refused, ...]
    duplicates: tuple[int, ...]
    """The numbers of the lines that repeat an earlier pair."""
    separator: str
    """A tab, a comma or a semicolon."""
    has_header: bool


def read_pairs(content: bytes, name: str) -> Pairs:
    """Read pairs from a file of two columns: source, separator, target; a header is skipped.

    Quotes are ordinary characters where a tab separates the columns; elsewhere they are read as
    CSV. Texts are composed (NFC) and have single spaces.

    Args:
        content: The file: UTF-8, or UTF-16 with a byte-order mark.
        name: What the messages call the file.

    Raises:
        CorpusError: Nothing of the file can be used: it is too large, no text, or has no line
            with two columns.
    """
    _require_size(len(content), name)
    lines = _lines(content, name)
    separator = chosen_separator(lines)
    records = list(records_of(lines, separator))
    has_header = bool(records) and is_header(records[0].texts)
    _require_pairs(records, int(has_header), name)
    found = _accounted(records[has_header:], lines, separator, has_header=has_header)
    # UTF-16 may be shorter than what is kept of it.
    _require_size(len(as_tsv(found.samples)), name)
    return found


def _accounted(
    records: Sequence[Record], lines: Sequence[str], separator: str, *, has_header: bool
) -> Pairs:
    """Return the different pairs of some records, and what became of the others."""
    found: dict[tuple[str, ...], Sample] = {}
    rows, refused, duplicates = [], [], []
    for line, texts in records:
        if reason := why_not(texts):
            refused.append(Refused(line, reason, _shown(lines[line - 1])))
            continue
        if texts in found:
            duplicates.append(line)
        else:
            source, target = texts
            found[texts] = Sample(source, target)
        rows.append(found[texts])
    return Pairs(
        tuple(found.values()),
        tuple(rows),
        tuple(refused),
        tuple(duplicates),
        separator,
        has_header,
    )


def pairs_of_lines(sources: bytes, targets: bytes, names: tuple[str, str]) -> Pairs:
    """Read pairs from two files of lines, of which line i of one belongs to line i of the other.

    Two empty lines are passed over. No line is a header.

    Args:
        sources: The first file: UTF-8, or UTF-16 with a byte-order mark.
        targets: The second.
        names: What the messages call them.

    Raises:
        CorpusError: A file is too large, or no text, or they have not the same number of lines.
    """
    texts = []
    for content, name in zip((sources, targets), names, strict=True):
        _require_size(len(content), name)
        lines = _lines(content, name)
        texts.append(lines[:-1] if lines[-1] == "" else lines)
    if len(texts[0]) != len(texts[1]):
        raise CorpusError(
            "{one} has {n} lines and {other} has {m}: line by line they must belong together",
            one=names[0],
            other=names[1],
            n=len(texts[0]),
            m=len(texts[1]),
        )
    rows = zip(*texts, strict=True)
    records = [Record(at, tuple(map(tidy, row))) for at, row in enumerate(rows, 1)]
    records = [record for record in records if any(record.texts)]
    _require_pairs(records, 0, " and ".join(names))
    lines = [f"{one}\t{other}" for one, other in zip(*texts, strict=True)]
    return _accounted(records, lines, "\t", has_header=False)


def as_tsv(samples: Iterable[Sample]) -> bytes:
    """Write pairs, as `read_pairs` gives them, so that it gives the same ones again."""
    # Always with a header, so that the first pair is never taken for one.
    rows = ["source\ttarget\n", *(f"{each.source}\t{each.target}\n" for each in samples)]
    return "".join(rows).encode()


def _require_size(n_bytes: int, name: str) -> None:
    if n_bytes > LARGEST:
        raise TooLargeError(
            "{name}: more than {n} MB of text; use a part of it", name=name, n=LARGEST // 2**20
        )


def _lines(content: bytes, name: str) -> list[str]:
    text = _decoded(content, name).replace("\r\n", "\n")
    # Alone, it ends the lines of old files; beside others it is white space in a line.
    text = text.replace("\r", " " if "\n" in text else "\n")
    n_lines = text.count("\n")
    if n_lines > MOST_LINES:
        raise TooLargeError(
            "{name}: {n} lines are too many; at most {most}", name=name, n=n_lines, most=MOST_LINES
        )
    # Not splitlines: it also breaks at signs that may stand within a text, such as U+2028.
    return text.split("\n")


def _decoded(content: bytes, name: str) -> str:
    if content.startswith(b"PK\x03\x04"):
        raise CorpusError(
            "{name}: a spreadsheet or zip file, no text; save it as CSV in UTF-8", name=name
        )
    mark, encoding = next((each for each in _MARKS if content.startswith(each[0])), (b"", "utf-8"))
    body = content[len(mark) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        newline = "\n" if "\n" in body.decode(encoding, "replace") else "\r"
        line = body[: error.start].decode(encoding, "replace").count(newline) + 1
        raise _not_utf8(name, line) from error
    # UTF-16 without its mark, or UTF-32.
    if 4 * text.count("\0") > len(text):
        raise _not_utf8(name, 1)
    return text


def _not_utf8(name: str, line: int) -> CorpusError:
    return _at(name, line, Message("not UTF-8; save the file as UTF-8 and try again"))


def _at(name: str, line: int, why: str, error: type[CorpusError] = CorpusError) -> CorpusError:
    # The number of a line is looked up in an editor: it has no commas.
    return error(Message("{name}, line {line}: {why}", name=name, line=line, why=why))


def is_header(texts: Sequence[str]) -> bool:
    """Say whether the first record of a file names its columns."""
    names = tuple(text.lower() for text in texts)
    return names in HEADERS or (len(set(names)) == len(names) == 2 and LANGUAGES.issuperset(names))


def _require_pairs(records: Sequence[Record], n_headers: int, name: str) -> None:
    if not records:
        raise CorpusError("{name}: there are no pairs in it", name=name)
    if not any(len(record.texts) == 2 for record in records):
        line, texts = records[0]
        said = N_("{why}, and no other line has 2; {advice}")
        raise _at(name, line, Message(said, why=why_not(texts), advice=_advice(texts)))
    if len(records) - n_headers > MOST_PAIRS:
        line = records[n_headers + MOST_PAIRS].line
        raise _at(
            name,
            line,
            Message("more than {n} pairs; use the lines before", n=MOST_PAIRS),
            TooLargeError,
        )


def _advice(texts: Sequence[str]) -> str:
    if len(texts) > 2:
        return Message("keep the two columns that hold source and target")
    return Message("put a tab, or in most lines a comma or a semicolon, between source and target")


def why_not(texts: Sequence[str]) -> str:
    """Return why columns are no pair; an empty text where they are one."""
    if not texts:
        return Message("a quote begins a column, and none ends it")
    if len(texts) == 1:
        return Message("1 column, not 2")
    if len(texts) > 2:
        return Message("{n} columns, not 2", n=len(texts))
    for which, text in zip((N_("the first column"), N_("the second column")), texts, strict=True):
        column = Message(which)
        if not text:
            return Message("{column} is empty", column=column)
        if len(text) > LONGEST_TEXT:
            said = N_("{column} has {n} characters, more than {most}")
            return Message(said, column=column, n=len(text), most=LONGEST_TEXT)
        if found := _CONTROL.search(text):
            sign = f"U+{ord(found[0]):04X}"
            return Message("{column} holds the control character {sign}", column=column, sign=sign)
    return ""


def _shown(line: str) -> str:
    """Return the beginning of a line with signs in place of what cannot be seen."""
    return "".join(map(_visible, shortened(line, _SHOWN)))


def _visible(char: str) -> str:
    if char < " ":
        return chr(0x2400 + ord(char))
    if char.isprintable() or char in INVISIBLE:
        return char
    return " " if char.isspace() else "\ufffd"
