"""Cells of a map as rows of a table: which query, and which key."""

from collections.abc import Iterable, Sequence
from itertools import product

from core.tokenizer.tokenizer import Token
from pages.frame.files import Columns
from viz.component.payload import TokenLabel


def cell_columns(
    queries: Sequence[Token | TokenLabel],
    keys: Sequence[Token | TokenLabel],
    cells: Iterable[tuple[int, int]] | None = None,
) -> Columns:
    """Return the columns that say which cell of a map a row is about.

    Args:
        queries: What the map's rows are.
        keys: What the map's columns are.
        cells: Position of the query, and of the key, of every row; each cell once, row by row of
            the map, where none are given.
    """
    if cells is None:
        cells = product(range(len(queries)), range(len(keys)))
    found = list(cells)
    return {
        "query": [query for query, _key in found],
        "query_token": [queries[query].text for query, _key in found],
        "key": [key for _query, key in found],
        "key_token": [keys[key].text for _query, key in found],
    }
