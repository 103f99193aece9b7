"""Which number of a head's stage to look at: the one that tells most, or the one asked for.

A pair is a query and a key. Stages whose cells are about one of them find the other by the weight
between them.
"""

import numpy as np

from core.studies.heads.stages import Axis, Stage, panels
from core.studies.heads.steps import HeadSteps


def telling_pair(steps: HeadSteps) -> tuple[int, int]:
    """Return the query and the key with the head's largest weight, not a position with itself."""
    weights_QK = steps.weights_QK.copy()
    if steps.head.kind.is_self and weights_QK.size > 1:
        np.fill_diagonal(weights_QK, -1)
    query, key = np.unravel_index(int(weights_QK.argmax()), weights_QK.shape)
    return int(query), int(key)


def cell_at(steps: HeadSteps, stage: Stage, query: int, key: int) -> tuple[int, int]:
    """Return the cell of a stage's result that says most about how a query looks at a key.

    Between tokens it is theirs. Of vectors it is the number that weighs most: in q and k the one
    that makes most of q·k, in v and in what is mixed the one that the key gives most to, and
    behind W^O the one to which the head gives most.
    """
    matched_E = np.abs(steps.compared_QE[query] * steps.compared_KE[key])
    given_E = np.abs(steps.weights_QK[query, key] * steps.value.made_KE[key])
    match stage:
        case Stage.QUERIES | Stage.TURNED_QUERIES:
            return query, int(matched_E.argmax())
        case Stage.KEYS | Stage.TURNED_KEYS:
            return key, int(matched_E.argmax())
        case Stage.VALUES:
            return key, int(given_E.argmax())
        case Stage.MIX:
            return query, int(given_E.argmax())
        case Stage.CONCATENATE:
            return query, steps.head.index * steps.d_v + int(given_E.argmax())
        case Stage.OUTPUT:
            return query, int(np.abs(steps.term_QD[query]).argmax())
        case _:
            return query, key


def pair_of(steps: HeadSteps, stage: Stage, row: int, column: int) -> tuple[int, int]:
    """Return the query and the key that a cell of a stage's result is about."""
    made = panels(steps, stage)[0]
    return _completed(steps, {made.columns: column, made.rows: row})


def cell_of(
    steps: HeadSteps, stage: Stage, panel: int, row: int, column: int
) -> tuple[int, int] | None:
    """Return the cell of a stage's result that a cell of one of its panels asks for.

    A cell of the result asks for itself; one of what goes in asks for the result's row or column,
    and leaves it open which cell of that. None where the stage has no such cell.
    """
    shown = panels(steps, stage)
    if not 0 <= panel < len(shown):
        return None
    asked, made = shown[panel], shown[0]
    n_rows, n_columns = asked.values.shape
    if not (0 <= row < n_rows and 0 <= column < n_columns):
        return None
    found = {asked.columns: column, asked.rows: row}
    if stage is Stage.CONCATENATE and "d_v" in found:
        found["heads × d_v"] = steps.head.index * steps.d_v + found["d_v"]
    open_row, open_column = cell_at(steps, stage, *_completed(steps, found))
    return found.get(made.rows, open_row), found.get(made.columns, open_column)


def _completed(steps: HeadSteps, found: dict[Axis, int]) -> tuple[int, int]:
    """Return a query and a key: those that are found already, else the most telling."""
    match found:
        case {"query": query, "key": key}:
            return query, key
        case {"query": query}:
            return query, int(steps.weights_QK[query].argmax())
        case {"key": key}:
            return int(steps.weights_QK[:, key].argmax()), key
    return telling_pair(steps)
