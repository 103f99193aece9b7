import codecs
import gzip
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tasks import pairs as module
from core.tasks.columns import CorpusError, Reading, tidy
from core.tasks.pairs import (
    LARGEST,
    LONGEST_TEXT,
    PairFile,
    TooLargeError,
    as_tsv,
    read_pair_files,
    read_pairs,
)
from core.tasks.task import Sample

PAIR = Sample("Hello.", "Bonjour.")
TEXT = "Hello.\tBonjour.\n"
HI, RUN = Sample("Hi, Tom.", "Salut !"), Sample("Run!", "Cours !")
REVERSED = tuple(Sample(each.target, each.source) for each in (HI, RUN))
TATOEBA = "CC-BY 2.0 (France) Attribution: tatoeba.org #{} (CM) & #{} (sacredceltic)"
FILES = {
    "data frame": ',en,fr\n0,"Hi, Tom.",Salut !\n1,Run!,Cours !\n',
    "data frame without names": ',0,1\n0,"Hi, Tom.",Salut !\n1,Run!,Cours !\n',
    "ids": 'id,fr,en\n7,Salut !,"Hi, Tom."\n9,Cours !,Run!\n',
    "other names": "nr;Phrase A;Phrase B\n1;Hi, Tom.;Salut !\n2;Run!;Cours !\n",
    "names of rows": "en\tfr\n1\tHi, Tom.\tSalut !\n2\tRun!\tCours !\n",
    "attribution": f"Hi, Tom.\tSalut !\t{TATOEBA}\nRun!\tCours !\t{TATOEBA}\n",
    "ids and codes": "1\teng\tHi, Tom.\t7\tfra\tSalut !\n2\teng\tRun!\t8\tfra\tCours !\n",
    "target first": "target\tsource\nSalut !\tHi, Tom.\nCours !\tRun!\n",
    "named among others": "en\tfr\tnote\nHi, Tom.\tSalut !\tgood\nRun!\tCours !\tbad\n",
    "an empty last column": "Hi, Tom.\tSalut !\t\nRun!\tCours !\t\n",
    "objects": '{"en": "Hi, Tom.", "fr": "Salut !"}\n\n{"fr": "Cours !", "en": "Run!"}\n',
    "objects within objects": (
        '{"id": "0", "translation": {"en": "Hi, Tom.", "fr": "Salut !"}}\n'
        '{"id": "1", "translation": {"en": "Run!", "fr": "Cours !"}}\n'
    ),
    "objects with more": (
        '{"instruction": "Translate.", "input": "Hi, Tom.", "output": "Salut\\u0020!", "n": 1}\n'
        '{"instruction": "Translate", "input": "Run!", "output": "Cours !", "n": 2}\n'
    ),
}
SENTENCES = (
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
    .map(tidy)
    .filter(lambda text: text and not any(unicodedata.category(char) == "Cc" for char in text))
)
PAIRS = st.builds(Sample, SENTENCES, SENTENCES)
NUMBERED = st.integers(0, 20)
LINES = st.one_of(
    st.tuples(st.just("pair"), NUMBERED.map(lambda n: f"word {n}\tmot {n}")),
    st.tuples(st.just("pair"), NUMBERED.map(lambda n: f' "word {n}" \t=1+{n}, ')),
    st.tuples(st.just("refused"), st.sampled_from(["alone", "a\tb\tc", "a\t", "\tb", "a\0\tb"])),
    st.tuples(st.just("empty"), st.sampled_from(["", " ", "\t", " \t\t "])),
)


def read(text, reading=module.FOUND):
    content = text if isinstance(text, bytes) else text.encode()
    return read_pairs(content, "mine.tsv", reading)


@given(st.lists(PAIRS, unique=True))
def test_what_is_written_is_read_again(samples):
    found = read(as_tsv(samples))
    assert found.samples == tuple(samples)
    assert (found.refused, found.duplicates, found.layout.separator) == ((), (), "\t")


@given(st.lists(LINES), st.booleans(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_every_line_is_a_pair_a_duplicate_refused_a_header_or_empty(lines, headed, newline):
    # So that most lines have two columns.
    pairs = [("pair", "x\ty")] * (len(lines) + 1)
    lines = [*([("header", "Source\tTarget")] if headed else []), *pairs, *lines]
    found = read(newline.join(text for _, text in lines))
    numbers = {
        kind: [number for number, (each, _) in enumerate(lines, start=1) if each == kind]
        for kind in ("pair", "refused")
    }
    texts = [tuple(map(tidy, lines[number - 1][1].split("\t"))) for number in numbers["pair"]]
    assert [refused.line for refused in found.refused] == numbers["refused"]
    assert [(each.source, each.target) for each in found.samples] == list(dict.fromkeys(texts))
    repeated = [n for i, n in enumerate(numbers["pair"]) if texts[i] in texts[:i]]
    assert list(found.duplicates) == repeated
    assert found.layout.has_header == headed


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_the_two_columns_of_sentences_are_found(name, packed):
    content = FILES[name].encode()
    found = read(gzip.compress(content) if packed else content)
    assert found.samples == (REVERSED if name == "ids" else (HI, RUN))
    assert not found.refused


def test_files_are_read_from_the_disk_as_from_memory(tmp_path):
    path = tmp_path / "mine.tsv"
    text = FILES["data frame"] + "2,,Oui\n3,No\n"
    path.write_bytes(gzip.compress(text.encode()))
    found = read_pair_files([path])
    assert found.samples == (HI, RUN)
    left_out = [(4, "the first column is empty"), (5, "2 columns, not 3")]
    assert [(each.line, each.reason) for each in found.refused] == left_out
    rows = list(PairFile([path], ["mine"]).rows())
    assert [(row.line, reason) for row, reason in rows if reason] == left_out
    with pytest.raises(CorpusError, match=r"none\.tsv: No such file"):
        read_pair_files([tmp_path / "none.tsv"])


def test_two_files_of_lines_are_pairs_line_by_line(tmp_path):
    one, other = tmp_path / "train.en", tmp_path / "train.fr"
    one.write_bytes("\ufeffa, b\tc\r\n\r\nen\r\n".encode())
    other.write_text("x\n\nfr")
    assert read_pair_files([one, other]).samples == (Sample("a, b c", "x"), Sample("en", "fr"))
    other.write_text("x\n")
    with pytest.raises(CorpusError, match=r"train\.en has 3 lines and .*train\.fr has 1: line by"):
        read_pair_files([one, other])
    other.write_text("x\ny\nfr")
    with pytest.raises(CorpusError, match=r"train\.fr, line 2: the first column is empty"):
        read_pair_files([one, other], Reading(strict=True))


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
        read(FILES["data frame"], Reading(columns=columns))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no pairs in it"),
        ("\nHello.\nHi, Tom.\nBye.\n", "line 2: 1 column, not 2, and no other line"),
        ("1\tcmn\t我們試試看！\n2\tfra\tSalut !\n", "of its 3 columns 1 may hold sentences"),
        ("Hi.\tSalut.\tHallo.\nRun!\tCours !\tLauf!\n", "3 columns, 1, 2, 3, and which two"),
    ],
)
def test_a_file_without_two_clear_columns_is_refused(text, message):
    with pytest.raises(CorpusError, match=message):
        read(text)


def test_a_first_line_that_may_be_a_header_is_a_pair_where_the_user_says_so():
    content = "en\tfr\nHi, Tom.\tSalut !\nRun!\tCours !\n"
    found = read(content)
    assert (found.samples, found.layout.names) == ((HI, RUN), ("en", "fr"))
    assert read(content, Reading(header=False)).samples == (Sample("en", "fr"), HI, RUN)
    assert read("source\ttarget\n").samples == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_tell_what_they_are_are_read(encoding):
    found = read("été\tsummer\nhiver\twinter\n".encode(encoding))
    assert found.samples == (Sample("été", "summer"), Sample("hiver", "winter"))


def test_both_orders_of_utf_16_are_read_and_half_a_character_is_refused():
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        assert read(mark + TEXT.encode(encoding)).samples == (PAIR,)
    with pytest.raises(CorpusError, match="line 3: not UTF-8"):
        read((TEXT * 2 + "a\tb").encode("utf-16")[:-1])


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_another_encoding_is_refused_with_the_line(mark, newline):
    content = f"a\tb{newline}c\td{newline}summer\tété{newline}".encode("latin-1")
    with pytest.raises(CorpusError, match=r"mine\.tsv, line 3: not UTF-8; save the file as UTF-8"):
        read(mark + content)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_wide_encodings_without_a_mark_that_is_known_are_refused(encoding):
    with pytest.raises(CorpusError, match="line 1: not UTF-8"):
        read((TEXT * 20).encode(encoding))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"en,fr", mtime=0)[:-9], "a damaged gzip file"),
        (b"\x1f\x8b\x08\x00broken", "a damaged gzip file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "line 1: not UTF-8"),
        (b"PK\x03\x04\xff and so on", "line 1: not UTF-8"),
        (b"a\tb\n" + b"c" * (1 << 20) + b"d\te\n", "line 2: more than 1 MB without a line end"),
    ],
)
def test_what_is_no_text_is_refused(content, message):
    with pytest.raises(CorpusError, match=message):
        read(content)


def test_more_bytes_than_fit_into_memory_are_refused_packed_or_not(monkeypatch):
    # Not even UTF-8, which would be named had it been looked at.
    for content in (b"\xff" * (LARGEST + 1), gzip.compress(bytes(60 << 20))):
        with pytest.raises(TooLargeError, match=r"mine\.tsv: more than 50 MB"):
            read(content)
    # UTF-16 may be shorter than what is kept of it.
    content = ("日本\t日本\n" + "語" * 200 + "\t語\n").encode("utf-16")
    monkeypatch.setattr(module, "LARGEST", len(content))
    with pytest.raises(TooLargeError, match="more than"):
        read(content)


def test_the_most_pairs_are_read_and_one_more_is_refused_with_its_line(monkeypatch):
    monkeypatch.setattr(module, "MOST_PAIRS", 3)
    text = "en\tfr\n\na\t1\nb\t2\nc\t3\n"
    assert len(read(text).samples) == 3
    with pytest.raises(TooLargeError, match=r"mine\.tsv, line 6: more than 3 pairs"):
        read(text + "d\t4\n")


@pytest.mark.parametrize("separator", [",", ";"])
def test_quotes_tabs_and_line_ends_within_csv_become_part_of_the_text(separator):
    found = read(f'"Say ""hi"",\n\tTom; now"{separator}Salut\nBye{separator}Au revoir\nx\n')
    assert found.samples == (Sample('Say "hi", Tom; now', "Salut"), Sample("Bye", "Au revoir"))
    # Counted in lines of the file.
    assert [each.line for each in found.refused] == [4]


def test_quotes_and_formulas_beside_tabs_are_plain_text():
    found = read('=1+1\t@SUM(A1)\n"Hello," she said.\t« Bonjour »\n"\t\'')
    assert [each.source for each in found.samples] == ["=1+1", '"Hello," she said.', '"']


def test_refused_lines_are_named_with_number_and_reason():
    text = f"{TEXT}\nalone\na\tb\tc\n\tb\na\t \na\x07\tb\na\tb\x9f\n{'x' * (LONGEST_TEXT + 1)}\tb\n"
    assert [(refused.line, refused.reason) for refused in read(text).refused] == [
        (3, "1 column, not 2"),
        (4, "3 columns, not 2"),
        (5, "the first column is empty"),
        (6, "the second column is empty"),
        (7, "the first column holds the control character U+0007"),
        (8, "the second column holds the control character U+009F"),
        (9, "the first column has 2,001 characters, more than 2,000"),
    ]
    with pytest.raises(CorpusError, match=r"mine\.tsv, line 3: 1 column, not 2"):
        read(text, Reading(strict=True))
    objects = read(FILES["objects"] + '{"en": 1\n[3]\n')
    assert [each.reason for each in objects.refused] == ["it is no JSON object"] * 2
    quotes = read('a,b\n"open,c\n' + "".join(f"{n},{n}\n" for n in range(300)))
    assert [each.reason for each in quotes.refused] == ["a quote begins a column, and none ends it"]


def test_the_user_is_told_of_the_columns_and_of_the_first_lines_left_out():
    found = read(FILES["data frame"] + "2,,Oui\n" * 6)
    assert [note.removeprefix("mine.tsv: ") for note in found.notes] == [
        "the first line names columns: 1, en, fr",
        "source is column en, target is column fr",
        "lines without a pair are left out (6): line 4: the first column is empty, line 5: the "
        "first column is empty, line 6: the first column is empty, line 7: the first column is "
        "empty, line 8: the first column is empty, …",
    ]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a\tb\tc", "a␉b␉c"),
        ("a\0b", "a␀b"),
        ("a\x7f\u202eb\u00a0c", "a\ufffd\ufffdb c"),
        ("y" * 60, "y" * 60),
        ("y" * 61, "y" * 59 + "…"),
    ],
)
def test_a_refused_line_is_shown_as_far_as_it_can_be_seen(line, shown):
    [refused] = read(TEXT + line).refused
    assert refused.text == shown


def test_identical_lines_are_one_pair_and_the_others_are_named():
    found = read(f"{TEXT}a\tb\n{TEXT}\n  Hello.  \tBonjour.\nHello.\tSalut.\n")
    assert found.samples == (PAIR, Sample("a", "b"), Sample("Hello.", "Salut."))
    assert found.duplicates == (3, 5)
    assert len(found.rows) == 5


@pytest.mark.parametrize("sign", ["\u2028", "\u0085", "\x0b", "\x0c", "\x1c", " \u00a0 "])
def test_only_line_ends_end_a_line_and_texts_are_composed_with_single_spaces(sign):
    [found] = read(f"e\u0301te\u0301{sign}1900\t \u00a0a\u202f!\n").samples
    assert found == Sample("\u00e9t\u00e9 1900", "a !")
