import csv
import gzip
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tasks import pairs as module
from core.tasks.columns import (
    CorpusError,
    Layout,
    Reading,
    chosen_separator,
    layout_of,
    rows_of,
    tidy,
)
from core.tasks.pairs import (
    LARGEST,
    LONGEST_TEXT,
    TooLargeError,
    as_tsv,
    read_pair_files,
    read_pairs,
)
from core.tasks.task import Sample

HI, RUN = Sample("Hi, Tom.", "Salut !"), Sample("Run!", "Cours !")
TEXT = "Hi, Tom.\tSalut !\nRun!\tCours !\n"
CSV = ',en,fr\n0,"Hi, Tom.",Salut !\n1,Run!,Cours !\n'
OBJECTS = '{"en": "Hi, Tom.", "fr": "Salut !"}\n\n{"fr": "Cours !", "en": "Run!"}\n'
SENTENCES = (
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
    .map(tidy)
    .filter(lambda text: text and not any(unicodedata.category(char) == "Cc" for char in text))
)
PAIRS = st.builds(Sample, SENTENCES, SENTENCES)


def read(text, reading=module.FOUND):
    content = text if isinstance(text, bytes) else text.encode()
    return read_pairs(content, "mine.tsv", reading)


@given(st.lists(PAIRS, unique=True))
def test_what_is_written_is_read_again(samples):
    found = read(as_tsv(samples))
    assert (found.samples, found.refused) == (tuple(samples), ())


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("content", [TEXT, CSV, OBJECTS, f"\ufeff{TEXT}", "en\tfr\r\n" + TEXT])
def test_tsv_csv_and_json_lines_are_read_plain_and_packed(content, packed):
    content = content.encode()
    found = read(gzip.compress(content) if packed else content)
    assert found.samples == (HI, RUN)
    assert not found.refused


def test_two_files_of_lines_are_pairs_line_by_line(tmp_path):
    one, other = tmp_path / "train.en", tmp_path / "train.fr"
    one.write_bytes("\ufeffa, b\tc\r\n\r\nen\r\n".encode())
    other.write_text("x\n\nfr")
    assert read_pair_files([one, other]).samples == (Sample("a, b c", "x"), Sample("en", "fr"))
    other.write_text("x\n")
    with pytest.raises(CorpusError, match=r"train\.en has 3 lines and .*train\.fr has 1: line by"):
        read_pair_files([one, other])
    other.write_text("x\ny\nfr")
    with pytest.raises(CorpusError, match=r"train\.fr, line 2: the source is empty"):
        read_pair_files([one, other], Reading(strict=True))
    with pytest.raises(CorpusError, match=r"none\.tsv: No such file"):
        read_pair_files([tmp_path / "none.tsv"])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("en",), "two columns are needed"),
        (("en", "en"), "source and target are two columns, not both en"),
        (("en", "de"), "there is no column de among 1, en, fr"),
        (("2", "4"), "there is no column 4"),
    ],
)
def test_columns_that_are_not_there_are_named(columns, message):
    with pytest.raises(CorpusError, match=rf"mine\.tsv: {message}"):
        read(CSV, Reading(columns=columns))


def test_a_first_line_that_may_be_a_header_is_a_pair_where_the_user_says_so():
    found = read(f"en\tfr\n{TEXT}")
    assert (found.samples, found.layout.names) == ((HI, RUN), ("en", "fr"))
    assert read(f"en\tfr\n{TEXT}", Reading(header=False)).samples == (Sample("en", "fr"), HI, RUN)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "there are no pairs in it"),
        (b"Hello.\nHi, Tom.\nBye.\n", "there are no pairs in it; put a tab"),
        ("summer\tété".encode("latin-1"), "not UTF-8; save the file as UTF-8"),
        (TEXT.encode("utf-16"), "not UTF-8"),
        (gzip.compress(b"en,fr", mtime=0)[:-9], "a damaged gzip file"),
        (b"a\tb\n" + b"c" * (1 << 20) + b"d\te\n", "line 2: more than 1 MB without a line end"),
        (b'a,b\nc,d\n"open,e\n' + b"f,g\n" * 40_000, "line 3: a quote begins a column"),
    ],
)
def test_what_holds_no_pairs_is_refused_with_the_reason(content, message):
    with pytest.raises(CorpusError, match=message):
        read(content)


def test_more_than_fits_into_memory_is_refused_packed_or_not(monkeypatch):
    # Not even UTF-8, which would be named had it been looked at.
    for content in (b"\xff" * (LARGEST + 1), gzip.compress(bytes(60 << 20))):
        with pytest.raises(TooLargeError, match=r"mine\.tsv: more than 50 MB"):
            read(content)
    monkeypatch.setattr(module, "MOST_PAIRS", 3)
    text = "en\tfr\n\na\t1\nb\t2\nc\t3\n"
    assert len(read(text).samples) == 3
    with pytest.raises(TooLargeError, match=r"mine\.tsv, line 6: more than 3 pairs"):
        read(text + "d\t4\n")


def test_refused_lines_are_named_with_number_and_reason():
    text = f"{TEXT}\nalone\na\tb\tc\n\tb\na\t \na\x07\tb\n{'x' * (LONGEST_TEXT + 1)}\tb\n"
    assert [(refused.line, refused.reason) for refused in read(text).refused] == [
        (4, "columns: 1, not 2"),
        (5, "columns: 3, not 2"),
        (6, "the source is empty"),
        (7, "the target is empty"),
        (8, "the source holds a control character"),
        (9, "the source has 2,001 characters, more than 2,000"),
    ]
    with pytest.raises(CorpusError, match=r"mine\.tsv, line 4: columns: 1, not 2"):
        read(text, Reading(strict=True))
    objects = read(OBJECTS + '{"en": 1\n[3]\n')
    assert [each.reason for each in objects.refused] == ["it is no JSON object"] * 2


def test_repeated_pairs_are_rows_but_one_sample():
    found = read(f"{TEXT}a\tb\n  Run!  \tCours !\nRun!\tVa !\n")
    assert found.samples == (HI, RUN, Sample("a", "b"), Sample("Run!", "Va !"))
    assert len(found.rows) == 5


@pytest.mark.parametrize("sign", ["\u2028", "\u0085", "\x0b", "\x1c", " \u00a0 "])
def test_only_line_ends_end_a_line_and_texts_are_composed_with_single_spaces(sign):
    [found] = read(f"e\u0301te\u0301{sign}1900\t \u00a0a\u202f!\n").samples
    assert found == Sample("\u00e9t\u00e9 1900", "a !")


def rows(text, separator=","):
    layout = Layout(separator, ("1", "2"), False, (0, 1))
    return [(row.line, row.texts) for row in rows_of(text.split("\n"), layout)]


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a\tb\nc\td", "\t"),
        ("a,b\nc,d", ","),
        # More than half of the lines hold a tab, or not.
        ("a,b\tc\nd,e\tf\ng,h", "\t"),
        # Commas within sentences, semicolons between them, and the other way round.
        ("Oui, oui;Yes, yes\nNon;No", ";"),
        ("Yes; yes,Oui; oui\nNo,Non", ","),
        # No more than half of the records have two columns.
        ("Hi, Tom.\nRun!", "\t"),
    ],
)
def test_the_separator_follows_its_rule(text, separator):
    lines = [line for line in text.split("\n") if line.strip()]
    assert chosen_separator(lines) == separator


@given(st.lists(st.lists(st.text("ab \"',;\t\n", max_size=8), min_size=2, max_size=2)))
def test_what_a_csv_writer_writes_is_read_with_the_line_where_it_begins(written):
    file, expected = io.StringIO(), []
    for row in written:
        line = file.getvalue().count("\n") + 1
        csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow(row)
        texts = tuple(tidy(text) for text in row)
        expected += [(line, texts)] if any(texts) else []
    assert rows(file.getvalue()) == expected


@pytest.mark.parametrize(
    ("lines", "has_header", "pair"),
    [
        ("English\tFrench\nHi\tSalut", True, (0, 1)),
        (",en,fr\n0,Hi,Salut", True, (1, 2)),
        ("en\tfr\tnote\nHi\tSalut\tgood", True, (0, 1)),
        ("English\tanglais\nFrench\tfrançais", False, (0, 1)),
        ("Hi\tSalut\tCC-BY\nRun\tCours\tCC-BY", False, (0, 1)),
        # A column of numbers is no text.
        ("1\tHi\tSalut\n2\tRun\tCours", False, (1, 2)),
        ('{"id": "7", "translation": {"en": "Hi", "fr": "Salut"}}', False, (1, 2)),
    ],
)
def test_a_header_names_source_and_target_or_languages_else_the_first_texts_are_the_pair(
    lines, has_header, pair
):
    found = layout_of(lines.split("\n"), Reading())
    assert (found.has_header, found.chosen) == (has_header, pair)
