import pytest

from pages.frame.cells import cell_columns
from viz.component.payload import TokenLabel

QUERIES = (TokenLabel("q0"), TokenLabel("q1"))
KEYS = (TokenLabel("k0"), TokenLabel("k1"), TokenLabel("k2"))


def rows(**columns):
    return list(zip(*columns.values(), strict=True))


def test_every_cell_has_a_row_in_the_order_in_which_numpy_lists_the_map():
    assert rows(**cell_columns(QUERIES, KEYS)) == [
        (q, f"q{q}", k, f"k{k}") for q in (0, 1) for k in (0, 1, 2)
    ]


def test_the_cells_that_are_asked_for_have_rows_in_their_order_and_as_often():
    found = cell_columns(QUERIES, KEYS, iter([(1, 2), (0, 0), (1, 2)]))
    assert rows(**found) == [(1, "q1", 2, "k2"), (0, "q0", 0, "k0"), (1, "q1", 2, "k2")]


def test_no_cells_still_have_their_columns():
    assert cell_columns(QUERIES, KEYS, []) == dict.fromkeys(cell_columns(QUERIES, KEYS), [])


def test_a_cell_beyond_the_map_is_refused():
    with pytest.raises(IndexError):
        cell_columns(QUERIES, KEYS, [(2, 0)])
