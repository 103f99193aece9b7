from pages.frame.cells import cell_columns
from viz.component.payload import TokenLabel

QUERIES = (TokenLabel("q0"), TokenLabel("q1"))
KEYS = (TokenLabel("k0"), TokenLabel("k1"), TokenLabel("k2"))


def rows(**columns):
    return list(zip(*columns.values(), strict=True))


def test_a_row_names_the_query_and_the_key_of_its_cell():
    every = [(q, f"q{q}", k, f"k{k}") for q in (0, 1) for k in (0, 1, 2)]
    assert rows(**cell_columns(QUERIES, KEYS)) == every
    found = cell_columns(QUERIES, KEYS, iter([(1, 2), (0, 0), (1, 2)]))
    assert rows(**found) == [(1, "q1", 2, "k2"), (0, "q0", 0, "k0"), (1, "q1", 2, "k2")]
