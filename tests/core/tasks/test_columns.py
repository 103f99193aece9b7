import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tasks.columns import (
    Layout,
    Reading,
    chosen_separator,
    layout_of,
    names_columns,
    rows_of,
    tidy,
)


def separator_of(text):
    return chosen_separator([line for line in text.split("\n") if line.strip()])


def rows(text, separator=","):
    layout = Layout(separator, ("1", "2"), False, (0, 1), (0, 1))
    return [(row.line, row.texts) for row in rows_of(text.split("\n"), layout)]


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a\tb\nc\td", "\t"),
        ("a,b\nc,d", ","),
        ("a;b\nc;d", ";"),
        # More than half of the lines hold a tab, or not.
        ("a,b\tc\nd,e\tf\ng,h", "\t"),
        ("a,b\tc\nd,e\nf,g", ","),
        # Commas within sentences, semicolons between them, and the other way round.
        ("Oui, oui;Yes, yes\nNon;No", ";"),
        ("Yes; yes,Oui; oui\nNo,Non", ","),
        ('"a;b",c\n"d;e",f', ","),
        ('"a, b";c\n"d, e";f', ";"),
        # Both give two columns everywhere.
        ("Hallo 1; Welt, 1\nHallo 2; Welt, 2", ";"),
        # No more than half of the records have two columns.
        ("Hi, Tom.\nRun!", "\t"),
        ("Hi, Tom.\nWell, yes.\nRun!", ","),
        # Three columns with commas in some sentences, as exchanges of sentences have them.
        ("Hi, Tom.\tSalut.\tCC\nRun!\tCours !\tCC", "\t"),
        ("", "\t"),
    ],
)
def test_the_separator_follows_its_rule(text, separator):
    assert separator_of(text) == separator


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '"Hello, ""you""","two\n\nlines"\na,b',
            [(1, ('Hello, "you"', "two lines")), (4, ("a", "b"))],
        ),
        ('5" nails,des clous', [(1, ('5" nails', "des clous"))]),
        ('Hi, "Salut, toi"', [(1, ("Hi", "Salut, toi"))]),
        (" , \n,,\n\na,", [(4, ("a", ""))]),
        # A line that is too long for the csv module.
        (f'"{"a" * 150_000}",b\nc,d', [(1, (f'"{"a" * 150_000}"', "b")), (2, ("c", "d"))]),
    ],
)
def test_quotes_are_read_as_csv_and_empty_rows_are_left_out(text, expected):
    assert rows(text) == expected


def test_quotes_mean_nothing_beside_tabs():
    assert rows('"a\tb\n"c"\td', "\t") == [(1, ('"a', "b")), (2, ('"c"', "d"))]


@pytest.mark.parametrize("line", ['"open,b', 'a,"open', '"closed" too soon,b'])
def test_quotes_that_do_not_match_spoil_their_own_line_only(line):
    assert rows(f"a,b\n{line}\nc,d\n" + "e,f\n" * 200)[:3] == [
        (1, ("a", "b")),
        (2, ()),
        (3, ("c", "d")),
    ]


@given(st.lists(st.lists(st.text("ab \"',;\t\n", max_size=8), min_size=2, max_size=2)))
def test_what_a_csv_writer_writes_is_read_with_the_line_where_it_begins(written):
    file, expected = io.StringIO(), []
    for row in written:
        line = file.getvalue().count("\n") + 1
        csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow(row)
        texts = tuple(tidy(text) for text in row)
        expected += [(line, texts)] if any(texts) else []
    assert rows(file.getvalue()) == expected


@given(st.text())
def test_a_tidy_text_stays_as_it_is(text):
    assert tidy(tidy(text)) == tidy(text)


@pytest.mark.parametrize(
    "line",
    [
        "English\tChinese",
        "en\tzh",
        "eng\tfra",
        "英文\t中文",
        "English words/sentences\tFrench words/sentences",
        "English\tFrançais",
        "Русский\tАнглийский",
        "原文\t译文",
        "source\ttarget",
        " SRC \tTgt",
        "from\tto",
        "Question\tAnswer",
        "English\ttranslation",
        "zh-CN\tzh-TW",
        "eng_Latn\tzho_Hans",
        "sentence_en\tsentence_fr",
        "sentence1\tsentence2",
        "sourceText\ttargetText",
        "\ten\tfr",
        "id\teng\tfra",
        "en\tfr\tattribution",
    ],
)
def test_names_of_languages_and_of_columns_are_a_header(line):
    assert names_columns(list(map(tidy, line.split("\t"))))


@pytest.mark.parametrize(
    "line",
    [
        # One word in two languages: the first entry of a dictionary.
        "English\tanglais",
        "sentence\tphrase",
        "question\t问题",
        "Hello\tBonjour",
        "Hi.\t你好。",
        "the\tle",
        "he\ter",
        "is\test",
        "en\ten",
        "in\tout",
        "1277\teng\t34\tfra",
        "I speak English\tJe parle français",
    ],
)
def test_pairs_are_no_header(line):
    assert not names_columns(line.split("\t"))


def test_columns_are_chosen_by_name_number_or_index_and_a_name_makes_a_header():
    lines = ["0,Frase,Basa", '1,"Hi, Tom.",Salut !', "2,Run!,Cours !"]
    for columns in (("Frase", "Basa"), ("2", "3"), (1, 2), ("FRASE", "3")):
        assert layout_of(lines, Reading(columns)).chosen == (1, 2)
    assert layout_of(lines, Reading(("Basa", "Frase"))).chosen == (2, 1)
    two = ["Frase\tBasa", "Hi\tSalut"]
    assert layout_of(two, Reading(("Frase", "Basa"))).has_header
    assert not layout_of(two, Reading()).has_header
