from xml.etree import ElementTree

from hypothesis import example, given
from hypothesis import strategies as st

from viz.charts.number_tables import ROWS, number_tables, three_digits


def tables(columns, title="title", **options):
    """Return the tables as (caption, rows of texts)."""
    written = number_tables(columns, title, **options)
    root = ElementTree.fromstring(written[written.index("<div") :])
    return [
        (
            table.findtext("caption"),
            [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")],
        )
        for table in root.iter("table")
    ]


def cells(n_queries, n_keys, weight, **more):
    rows = [(query, key) for query in range(n_queries) for key in range(n_keys)]
    return {
        "query": [query for query, _ in rows],
        "query_token": [f"q{query}" for query, _ in rows],
        "key": [key for _, key in rows],
        "key_token": [f"k{key}" for _, key in rows],
        **{name: [each(*row) for row in rows] for name, each in more.items()},
        "weight": [weight(*row) for row in rows],
    }


def test_cells_become_a_table_of_queries_by_keys():
    found = tables(cells(2, 3, lambda query, key: query + key / 10))
    assert found == [
        (
            "title · weight",
            [
                ["query \\ key", "0 k0", "1 k1", "2 k2"],
                ["0 q0", "0", "0.100", "0.200"],
                ["1 q1", "1.00", "1.10", "1.20"],
            ],
        )
    ]


def test_hidden_cells_are_not_zeros():
    [(_, rows)] = tables(cells(2, 2, lambda *_: 0.0, visible=lambda query, key: key <= query))
    assert [row[1:] for row in rows[1:]] == [["0", "hidden by the mask"], ["0", "0"]]


def test_rows_beside_the_cells_stay_rows_with_the_columns_that_they_fill():
    columns = cells(1, 2, lambda *_: 0.5)
    columns = {name: [*values, None, None] for name, values in columns.items()}
    columns |= {"masks": ["on", "on", "on", "off"], "loss": [None, None, 0.125, 2.0]}
    assert tables(columns) == [
        ("title · weight", [["query \\ key", "0 k0", "1 k1"], ["0 q0", "0.500", "0.500"]]),
        ("title", [["masks", "loss"], ["on", "0.125"], ["off", "2.00"]]),
    ]


def test_many_rows_are_cut_and_it_is_said():
    [(caption, rows)] = tables({"x": list(range(ROWS + 1))})
    assert caption == f"title · The first {ROWS} of {ROWS + 1} rows."
    assert len(rows) == 1 + ROWS


@given(
    text=st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Cn"]).filter(lambda sign: sign > " "),
        min_size=1,
    )
)
@example("\u00a0")
def test_any_token_and_title_is_shown_as_it_is(text):
    columns = cells(1, 1, lambda *_: 0.5) | {"query_token": [text], "key_token": [text]}
    [(caption, rows)] = tables(columns, title=text)
    assert caption == f"{text} · weight"
    assert rows == [["query \\ key", f"0 {text}"], [f"0 {text}", "0.500"]]


@given(value=st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_three_digits_are_within_half_a_percent(value):
    read = float(three_digits(value).replace("−", "-"))
    assert abs(read - value) <= 0.005 * abs(value)
