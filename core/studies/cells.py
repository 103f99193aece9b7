"""Tables of the studies: the cells of matrices as rows, and tables below each other."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = dict[str, list[Any]]
"""Name of a column → its values, as many in each."""


def cells(row: str, column: str, matrices: Mapping[str, NDArray[Any]]) -> Table:
    """Return one table row for each cell of matrices of one shape.

    >>> cells("layer", "position", {"share": np.array([[0.5, 1.0]])})
    {'layer': [0, 0], 'position': [0, 1], 'share': [0.5, 1.0]}
    """
    shape = next(iter(matrices.values())).shape
    rows, columns = np.indices(shape).reshape(2, -1).tolist()
    return {row: rows, column: columns} | {
        name: matrix.reshape(-1).tolist() for name, matrix in matrices.items()
    }


def stacked(*tables: Mapping[str, Sequence[Any]]) -> Table:
    """Return tables below each other as one; None where a table has no such column.

    >>> stacked({"x": [1, 2]}, {"x": [3], "loss": [0.5]})
    {'x': [1, 2, 3], 'loss': [None, None, 0.5]}
    """
    names = dict.fromkeys(name for table in tables for name in table)
    heights = [len(next(iter(table.values()), ())) for table in tables]
    return {
        name: [
            value
            for table, height in zip(tables, heights, strict=True)
            for value in table.get(name, [None] * height)
        ]
        for name in names
    }
