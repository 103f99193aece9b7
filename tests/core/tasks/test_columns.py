import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tasks.columns import Layout, Reading, chosen_separator, layout_of, rows_of, tidy


def rows(text, separator=","):
    layout = Layout(separator, ("1", "2"), False, (0, 1))
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
        ('"a, b";c\n"d, e";f', ";"),
        # No more than half of the records have two columns.
        ("Hi, Tom.\nRun!", "\t"),
        ("", "\t"),
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


def test_quotes_mean_nothing_beside_tabs_and_within_a_column():
    assert rows('"a\tb\n"c"\td', "\t") == [(1, ('"a', "b")), (2, ('"c"', "d"))]
    assert rows('5" nails,des clous') == [(1, ('5" nails', "des clous"))]


@given(st.text())
def test_a_tidy_text_stays_as_it_is(text):
    assert tidy(tidy(text)) == tidy(text)


@pytest.mark.parametrize(
    ("lines", "has_header", "pair"),
    [
        ("English\tFrench\nHi\tSalut", True, (0, 1)),
        ("原文\t译文\n你好\tHi", True, (0, 1)),
        ("target\tsource\nSalut\tHi", True, (1, 0)),
        (",en,fr\n0,Hi,Salut", True, (1, 2)),
        ("en\tfr\tnote\nHi\tSalut\tgood", True, (0, 1)),
        ("Hello\tBonjour\nHi\tSalut", False, (0, 1)),
        ("English\tanglais\nFrench\tfrançais", False, (0, 1)),
        ("Hi\tSalut\tCC-BY\nRun\tCours\tCC-BY", False, (0, 1)),
        # A column of numbers is no text.
        ("1\tHi\tSalut\n2\tRun\tCours", False, (1, 2)),
        ('{"id": "7", "translation": {"en": "Hi", "fr": "Salut"}}', False, (1, 2)),
        ('{"instruction": "Say", "input": "Hi", "output": "Salut", "n": 1}', False, (1, 2)),
    ],
)
def test_a_header_names_source_and_target_or_languages_else_the_first_texts_are_the_pair(
    lines, has_header, pair
):
    found = layout_of(lines.split("\n"), Reading())
    assert (found.has_header, found.chosen) == (has_header, pair)


def test_columns_are_chosen_by_name_number_or_index_and_a_name_makes_a_header():
    lines = ["0,Frase,Basa", '1,"Hi, Tom.",Salut !', "2,Run!,Cours !"]
    for columns in (("Frase", "Basa"), ("2", "3"), (1, 2), ("FRASE", "3")):
        assert layout_of(lines, Reading(columns)).chosen == (1, 2)
    two = ["Frase\tBasa", "Hi\tSalut"]
    assert layout_of(two, Reading(("Frase", "Basa"))).has_header
    assert not layout_of(two, Reading()).has_header
