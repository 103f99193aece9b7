"""The cells of matrices as the rows of a table."""

from collections.abc import Mapping
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
