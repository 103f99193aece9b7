import codecs
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tasks import pairs as module
from core.tasks.columns import tidy
from core.tasks.layout import CorpusError, Reading
from core.tasks.pairs import LARGEST, LONGEST_TEXT, MOST_PAIRS, as_tsv, read_pairs
from core.tasks.task import Sample

PAIR = Sample("Hello.", "Bonjour.")
TEXT = "Hello.\tBonjour.\n"


def read(text):
    return read_pairs(text.encode(), "mine.tsv")


def refusals(text):
    return [(refused.line, refused.reason) for refused in read(text).refused]


SENTENCES = (
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
    .map(tidy)
    .filter(lambda text: text and not any(unicodedata.category(char) == "Cc" for char in text))
)
PAIRS = st.builds(Sample, SENTENCES, SENTENCES)


@given(st.lists(PAIRS, unique=True))
def test_what_is_written_is_read_again(samples):
    found = read_pairs(as_tsv(samples), "pairs.tsv")
    assert found.samples == tuple(samples)
    assert (found.refused, found.duplicates, found.layout.separator) == ((), (), "\t")


def test_a_first_pair_like_a_header_is_read_again():
    samples = (Sample("source", "target"), Sample("en", "fr"))
    assert read_pairs(as_tsv(samples), "pairs.tsv").samples == samples


NUMBERED = st.integers(0, 20)
LINES = st.one_of(
    st.tuples(st.just("pair"), NUMBERED.map(lambda n: f"word {n}\tmot {n}")),
    st.tuples(st.just("pair"), NUMBERED.map(lambda n: f' "word {n}" \t=1+{n}, ')),
    st.tuples(st.just("refused"), st.sampled_from(["alone", "a\tb\tc", "a\t", "\tb", "a\0\tb"])),
    st.tuples(st.just("empty"), st.sampled_from(["", " ", "\t", " \t\t "])),
)


@given(st.lists(LINES), st.booleans(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_every_line_is_a_pair_a_duplicate_refused_a_header_or_empty(lines, headed, newline):
    # So that most lines have two columns.
    pairs = [("pair", "x\ty")] * (len(lines) + 1)
    lines = [*([("header", "Source\tTarget")] if headed else []), *pairs, *lines]
    found = read_pairs(newline.join(text for _, text in lines).encode(), "mine.tsv")
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


def test_one_column_is_refused_with_its_first_line():
    with pytest.raises(CorpusError, match=r"mine\.tsv, line 2: 1 column, not 2, and no other line"):
        read("\nHello.\nHi, Tom.\nBye.\n")


def test_three_columns_of_sentences_are_refused_until_two_are_named():
    text = "Hi.\tSalut.\tHallo.\nRun!\tCours !\tLauf!\n"
    with pytest.raises(CorpusError, match=r"3 columns, 1, 2, 3, and which two .* is not clear"):
        read(text)
    found = read_pairs(text.encode(), "mine.tsv", Reading(columns=("3", "1")))
    assert found.samples[0] == Sample("Hallo.", "Hi.")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_tell_what_they_are_are_read(encoding):
    found = read_pairs("été\tsummer\nhiver\twinter\n".encode(encoding), "mine.tsv")
    assert found.samples == (Sample("été", "summer"), Sample("hiver", "winter"))


def test_both_orders_of_utf_16_are_read():
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        assert read_pairs(mark + TEXT.encode(encoding), "mine.tsv").samples == (PAIR,)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "mac-roman"])
def test_other_encodings_are_refused_with_the_line(encoding, newline):
    content = f"a\tb{newline}c\td{newline}summer\tété{newline}".encode(encoding)
    with pytest.raises(CorpusError, match=r"mine\.tsv, line 3: not UTF-8; save the file as UTF-8"):
        read_pairs(content, "mine.tsv")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_wide_encodings_without_a_mark_that_is_known_are_refused(encoding):
    with pytest.raises(CorpusError, match="line 1: not UTF-8"):
        read_pairs((TEXT * 20).encode(encoding), "mine.tsv")


def test_half_a_character_of_utf_16_is_refused_with_its_line():
    with pytest.raises(CorpusError, match="line 3: not UTF-8"):
        read_pairs((TEXT * 2 + "a\tb").encode("utf-16")[:-1], "mine.tsv")


def test_a_spreadsheet_is_refused_as_one():
    with pytest.raises(CorpusError, match=r"mine\.xlsx: a spreadsheet"):
        read_pairs(b"PK\x03\x04 and so on", "mine.xlsx")


def test_one_byte_more_than_allowed_is_refused_before_anything_is_read():
    # Not even UTF-8, which would be named had it been looked at.
    with pytest.raises(CorpusError, match=r"mine\.tsv: more than 50 MB"):
        read_pairs(b"\xff" * (LARGEST + 1), "mine.tsv")


def test_as_many_bytes_as_allowed_are_read(monkeypatch):
    kept = as_tsv([PAIR])
    monkeypatch.setattr(module, "LARGEST", len(kept))
    assert read_pairs(kept, "mine.tsv").samples == (PAIR,)
    with pytest.raises(CorpusError, match="more than"):
        read_pairs(kept + b"\n", "mine.tsv")


def test_utf_16_that_is_larger_when_kept_is_refused(monkeypatch):
    content = ("日本\t日本\n" + "語" * 200 + "\t語\n").encode("utf-16")
    monkeypatch.setattr(module, "LARGEST", len(content))
    with pytest.raises(CorpusError, match="more than"):
        read_pairs(content, "mine.tsv")


def test_so_many_pairs_are_read_and_one_more_is_refused_with_its_line(monkeypatch):
    assert MOST_PAIRS == 200_000
    monkeypatch.setattr(module, "MOST_PAIRS", 3)
    text = "en\tfr\n\na\t1\nb\t2\nc\t3\n"
    assert len(read(text).samples) == 3
    with pytest.raises(CorpusError, match=r"mine\.tsv, line 6: more than 3 pairs"):
        read(text + "d\t4\n")


def test_too_many_empty_lines_are_refused():
    with pytest.raises(CorpusError, match="1,000,001 lines"):
        read("\n" * 1_000_001)


def test_formulas_are_plain_text():
    found = read('=1+1\t@SUM(A1)\n-2\t+3\n=HYPERLINK("x")\t=cmd|x\n')
    assert [each.source for each in found.samples] == ["=1+1", "-2", '=HYPERLINK("x")']
    assert not found.refused


def test_quotes_beside_tabs_are_plain_text():
    assert read('"Hello," she said.\t« Bonjour »\n"\t\'').samples == (
        Sample('"Hello," she said.', "« Bonjour »"),
        Sample('"', "'"),
    )


@pytest.mark.parametrize("separator", [",", ";"])
def test_quotes_tabs_and_line_ends_within_csv_become_part_of_the_text(separator):
    found = read(f'"Say ""hi"",\n\tTom; now"{separator}Salut\nBye{separator}Au revoir\nx\n')
    assert found.samples == (Sample('Say "hi", Tom; now', "Salut"), Sample("Bye", "Au revoir"))
    # Counted in lines of the file.
    assert [each.line for each in found.refused] == [4]
    assert found.layout.separator == separator


def test_a_quote_that_is_not_closed_does_not_swallow_the_rest():
    text = 'a,b\n"open,c\n' + "".join(f"{n},{n}\n" for n in range(300))
    assert refusals(text) == [(2, "a quote begins a column, and none ends it")]
    assert len(read(text).samples) == 301


def test_refused_lines_are_named_with_number_and_reason():
    text = f"{TEXT}\nalone\na\tb\tc\n\tb\na\t \na\x07\tb\na\tb\x9f\n{'x' * (LONGEST_TEXT + 1)}\tb\n"
    assert refusals(text) == [
        (3, "1 column, not 2"),
        (4, "3 columns, not 2"),
        (5, "the first column is empty"),
        (6, "the second column is empty"),
        (7, "the first column holds the control character U+0007"),
        (8, "the second column holds the control character U+009F"),
        (9, "the first column has 2,001 characters, more than 2,000"),
    ]


def test_the_longest_text_is_a_pair():
    assert len(read(f"{'x' * LONGEST_TEXT}\tb").samples[0].source) == LONGEST_TEXT


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


def test_five_pairs_are_five_pairs():
    assert len(read("".join(f"{n}\t{n}\n" for n in range(5))).samples) == 5


@pytest.mark.parametrize(
    "header",
    ["source\ttarget", " SRC \tTgt", "EN\tfr", "french,english", "Question;Answer", "\n\nfrom,to"],
)
def test_a_header_is_no_pair(header):
    separator = next(char for char in "\t,;" if char in header)
    found = read(f"{header}\na{separator}b\n")
    assert found.layout.has_header
    assert found.samples == (Sample("a", "b"),)


@pytest.mark.parametrize(
    "line", ["en\ten", "in\tout", "source\ttarget\tnote", "en\tfr\tde", "is\test", "text\ttexte"]
)
def test_other_first_lines_are_no_header(line):
    assert not read(f"{line}\na\tb\n").layout.has_header


def test_words_of_a_header_are_a_pair_after_the_first_line():
    assert read(f"{TEXT}source\ttarget\n").samples[1] == Sample("source", "target")


def test_a_header_alone_is_no_pairs():
    found = read("source\ttarget\n")
    assert found.layout.has_header and found.samples == ()


def test_a_return_within_a_line_is_a_space():
    assert read("a\rb\tc\r\nd\te\n").samples == (Sample("a b", "c"), Sample("d", "e"))


def test_texts_are_composed_and_have_single_spaces():
    [found] = read("e\u0301te\u0301 \u2028  1900\t \u00a0a\u202f!\n").samples
    assert found == Sample("\u00e9t\u00e9 1900", "a !")
