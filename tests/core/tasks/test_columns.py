import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tasks.columns import chosen_separator, records_of, tidy


def separator_of(text):
    return chosen_separator(text.split("\n"))


def rows(text, separator=","):
    return [(record.line, record.texts) for record in records_of(text.split("\n"), separator)]


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
        ("a,b;c\nd,e;f", ";"),
        ("Hallo 1; Welt, 1\nHallo 2; Welt, 2", ";"),
        # No more than half of the records have two columns.
        ("Hi, Tom.\nRun!", "\t"),
        ("Hi, Tom.\nWell, yes.\nRun!", ","),
        # Three columns with commas in some sentences, as exchanges of sentences have them.
        ("Hi, Tom.\tSalut.\tCC\nRun!\tCours !\tCC", "\t"),
        ("", "\t"),
        ("\n \n", "\t"),
    ],
)
def test_the_separator_follows_its_rule(text, separator):
    assert separator_of(text) == separator


def test_empty_lines_have_no_say_in_the_separator():
    assert separator_of("\n" * 5000 + "a\tb\nc\td") == "\t"
    assert separator_of("\n" * 5000 + "a;b\n\n\nc;d") == ";"


def test_the_first_thousand_lines_with_text_decide():
    assert separator_of("a;b\n\n" * 450 + "c,d\n\n" * 550 + "e;f\n" * 3000) == ","


def test_columns_between_quotes_hold_separators_quotes_and_line_ends():
    text = '"Hello, ""you""","two\n\nlines"\na,b'
    assert rows(text) == [(1, ('Hello, "you"', "two lines")), (4, ("a", "b"))]


def test_a_quote_within_a_column_is_an_ordinary_character():
    assert rows('5" nails,des clous\na,b') == [(1, ('5" nails', "des clous")), (2, ("a", "b"))]


def test_a_space_may_stand_before_a_quote():
    assert rows('Hi, "Salut, toi"') == [(1, ("Hi", "Salut, toi"))]


def test_quotes_mean_nothing_beside_tabs():
    assert rows('"a\tb\n"c"\td', "\t") == [(1, ('"a', "b")), (2, ('"c"', "d"))]


@pytest.mark.parametrize("line", ['"open,b', 'a,"open', '"closed" too soon,b'])
def test_quotes_that_do_not_match_spoil_their_own_line_only(line):
    assert rows(f"a,b\n{line}\nc,d\n" + "e,f\n" * 200)[:3] == [
        (1, ("a", "b")),
        (2, ()),
        (3, ("c", "d")),
    ]


def test_a_line_that_is_too_long_for_csv_is_read_all_the_same():
    long = '"' + "a" * 150_000 + '"'
    assert rows(f"{long},b\nc,d") == [(1, (long, "b")), (2, ("c", "d"))]


def test_a_row_of_empty_columns_is_empty():
    assert rows(" , \n,,\n\na,") == [(4, ("a", ""))]


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
