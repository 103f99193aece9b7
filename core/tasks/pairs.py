"""Sentence pairs from a file as people have it: two columns, good lines and bad ones."""

import codecs
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.messages import N_, Message
from core.tasks.columns import Record, tidy
from core.tasks.layout import JSON_LINES, CorpusError, Layout, Reading, layout_of, records
from core.tasks.packed import require_text, unzipped
from core.tasks.task import Sample
from core.tokenizer.words import INVISIBLE, shortened

LARGEST = 50 * 2**20
"""A file has at most so many bytes."""
MOST_PAIRS = 200_000
"""A file has at most so many lines with text, the header left out."""
MOST_LINES = 5 * MOST_PAIRS
"""A file has at most so many lines, empty ones included."""
LONGEST_TEXT = 2000
"""A sentence has at most so many characters."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SHOWN = 60
TOLD = 5
"""So many lines that are left out are named."""
FOUND = Reading()
_ADVICE = Message("put a tab, or in most lines a comma or a semicolon, between source and target")
TWO_FILES = Layout("\t", ("1", "2"), has_header=False, texts=(0, 1), chosen=(0, 1))


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
    layout: Layout


def read_pairs(content: bytes, name: str, reading: Reading = FOUND) -> Pairs:
    """Read pairs from a file with a column of sources and one of targets; a header is skipped.

    Columns stand between tabs, commas or semicolons, or each line is a JSON object. Quotes are
    ordinary characters where a tab separates the columns; elsewhere they are read as CSV. Texts are
    composed (NFC) and have single spaces.

    Args:
        content: The file: UTF-8, or UTF-16 with a byte-order mark; or one of these in gzip.
        name: What the messages call the file.
        reading: What is not to be judged by the file.

    Raises:
        CorpusError: Nothing of the file can be used: it is too large, no text, has no line with two
            columns, or more, of which two are not to be told from the others; or a line is no pair,
            where the reading is strict.
    """
    lines = _lines(content, name)
    layout = clear_layout(lines, name, reading)
    found_records = list(records(lines, layout))
    _require_pairs(found_records, layout, name)
    found = _accounted(found_records, lines, layout)
    # UTF-16 may be shorter than what is kept of it.
    _require_size(len(as_tsv(found.samples)), name)
    return _checked(found, name, reading)


def layout_in(content: bytes, name: str, reading: Reading = FOUND) -> Layout:
    """Return how a file of pairs is laid out; see `read_pairs`."""
    return layout_of(_lines(content, name), reading)


def clear_layout(lines: Iterable[str], name: str, reading: Reading) -> Layout:
    """Return how lines are laid out.

    Raises:
        CorpusError: Which columns hold the pairs is not clear.
    """
    try:
        layout = layout_of(lines, reading)
    except CorpusError as error:
        raise CorpusError("{path}: {why}", path=name, why=error.args[0]) from error
    if layout.chosen is None:
        n = len(layout.names)
        if len(layout.texts) < 2:
            said = "{name}: of its {n} columns {m} may hold sentences, and pairs need 2"
            raise CorpusError(said, name=name, n=n, m=len(layout.texts))
        said = (
            "{name}: it has {n} columns, {columns}, and which two hold source and target is not "
            "clear; --columns names them, as in --columns 1,2"
        )
        raise CorpusError(said, name=name, n=n, columns=", ".join(layout.names))
    return layout


def _checked(found: Pairs, name: str, reading: Reading) -> Pairs:
    """Return pairs.

    Raises:
        CorpusError: A line was left out, and none may be.
    """
    if not (found.refused and reading.strict):
        return found
    first = found.refused[0]
    n_others = len(found.refused) - 1
    others = Message(" ({n} more lines cannot be used either)", n=n_others) if n_others else ""
    raise _at(name, first.line, Message(N_("{why}{others}"), why=first.reason, others=others))


def _accounted(records: Sequence[Record], lines: Sequence[str], layout: Layout) -> Pairs:
    """Return the different pairs of some records, and what became of the others."""
    found: dict[tuple[str, str], Sample] = {}
    rows, refused, duplicates = [], [], []
    for line, columns in records:
        if reason := why_not(columns, layout):
            refused.append(Refused(line, reason, _shown(lines[line - 1])))
            continue
        texts = layout.pair(columns)
        if texts in found:
            duplicates.append(line)
        else:
            found[texts] = Sample(*texts)
        rows.append(found[texts])
    return Pairs(tuple(found.values()), tuple(rows), tuple(refused), tuple(duplicates), layout)


def pairs_of_lines(
    sources: bytes, targets: bytes, names: tuple[str, str], reading: Reading = FOUND
) -> Pairs:
    """Read pairs from two files of lines, of which line i of one belongs to line i of the other.

    Two empty lines are passed over. No line is a header.

    Args:
        sources: The first file: UTF-8, or UTF-16 with a byte-order mark.
        targets: The second.
        names: What the messages call them.
        reading: Whether a line may be left out.

    Raises:
        CorpusError: A file is too large, or no text, or they have not the same number of lines; or
            a line is no pair, where the reading is strict.
    """
    texts = []
    for content, name in zip((sources, targets), names, strict=True):
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
    found = [Record(at, tuple(map(tidy, row))) for at, row in enumerate(rows, 1)]
    found = [record for record in found if any(record.texts)]
    name = " and ".join(names)
    _require_pairs(found, TWO_FILES, name)
    lines = [f"{one}\t{other}" for one, other in zip(*texts, strict=True)]
    return _checked(_accounted(found, lines, TWO_FILES), name, reading)


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
    _require_size(len(content), name)
    with unzipped(io.BytesIO(content), name) as file:
        # One byte more than is allowed shows that there is more.
        content = file.read(LARGEST + 1)
    _require_size(len(content), name)
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
    require_text(content, name)
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


def _require_pairs(records: Sequence[Record], layout: Layout, name: str) -> None:
    if not records and not layout.has_header:
        raise CorpusError("{name}: there are no pairs in it", name=name)
    width = len(layout.names)
    if records and not any(len(record.texts) == width for record in records):
        line, columns = records[0]
        why = why_not(columns, layout)
        said = N_("{why}, and no other line has {n}; {advice}")
        raise _at(name, line, Message(said, why=why, n=width, advice=_ADVICE))
    if len(records) > MOST_PAIRS:
        raise _at(
            name,
            records[MOST_PAIRS].line,
            Message("more than {n} pairs; use the lines before", n=MOST_PAIRS),
            TooLargeError,
        )


def why_not(columns: Sequence[str], layout: Layout) -> str:
    """Return why the columns of a line hold no pair; an empty text where they hold one."""
    if not columns:
        is_json = layout.separator == JSON_LINES
        broken = N_("a quote begins a column, and none ends it")
        return Message(N_("it is no JSON object") if is_json else broken)
    n, width = len(columns), len(layout.names)
    if n == 1 != width:
        return Message("1 column, not {width}", width=width)
    if n != width:
        return Message("{n} columns, not {width}", n=n, width=width)
    texts = layout.pair(columns)
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


def told_of(
    name: str, layout: Layout, n_refused: int, first: Sequence[tuple[int, str]]
) -> list[str]:
    """Return what is to be known of a file that was read: its columns, and lines left out."""
    told: list[str] = []
    if layout.has_header:
        names = ", ".join(layout.names)
        told.append(
            Message("{name}: the first line names columns: {names}", name=name, names=names)
        )
    if len(layout.names) > 2:
        source, target = layout.pair(layout.names)
        said = "{name}: source is column {source}, target is column {target}"
        told.append(Message(said, name=name, source=source, target=target))
    if n_refused:
        lines = ", ".join(f"line {line}: {why}" for line, why in first[:TOLD])
        more = ", …" if n_refused > TOLD else ""
        said = "{name}: lines without a pair are left out ({n}): {lines}"
        told.append(Message(said, name=name, n=n_refused, lines=f"{lines}{more}"))
    return told


def _shown(line: str) -> str:
    """Return the beginning of a line with signs in place of what cannot be seen."""
    return "".join(map(_visible, shortened(line, _SHOWN)))


def _visible(char: str) -> str:
    if char < " ":
        return chr(0x2400 + ord(char))
    if char.isprintable() or char in INVISIBLE:
        return char
    return " " if char.isspace() else "\ufffd"
