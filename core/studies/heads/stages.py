"""The stages of one attention head, each with the matrices that go in and come out.

Q query positions, K key positions, E width of one head, D model width.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...describe.formulas import Stage
from .steps import HeadSteps, Projection, Turned, Values

__all__ = ["Axis", "Panel", "Stage", "bias", "cell_at", "cell_of", "pair_of", "panels"]
Axis = Literal["query", "key", "d_model", "d_k", "d_v", "heads × d_v", "bias"]


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One matrix of a stage."""

    name: str
    """Its symbol, `W^Q`."""
    values: Values
    rows: Axis
    columns: Axis


def panels(steps: HeadSteps, stage: Stage) -> tuple[Panel, ...]:
    """Return the matrices of a stage: first what comes out, then what goes in."""
    query, key, value = steps.query, steps.key, steps.value
    memory = steps.memory_symbol
    products = Panel("q·k", steps.products_QK, "query", "key")
    scores = Panel("s", steps.scores_QK, "query", "key")
    divided = Panel("s", steps.unbiased_QK, "query", "key")
    unbiased = products if Stage.SCALE not in steps.formulas else divided
    distance_QK = steps.position_bias_QK
    turned: Mapping[Stage, tuple[Turned | None, str, Values, Axis]] = {
        Stage.TURNED_QUERIES: (steps.turned_query, "q", query.made_KE, "query"),
        Stage.TURNED_KEYS: (steps.turned_key, "k", key.made_KE, "key"),
    }
    compared = "′" if steps.turned_query is not None else ""
    masked = Panel("masked", steps.masked_QK, "query", "key")
    weights = Panel("w", steps.weights_QK, "query", "key")
    v = Panel("v", value.made_KE, "key", "d_v")
    mixed = Panel("mixed", steps.mixed_QE, "query", "d_v")
    transposed = np.ascontiguousarray(steps.compared_KE.T)
    found: dict[Stage, tuple[Panel, ...]] = {
        Stage.QUERIES: _projected(query, ("q", "x", "W^Q"), "query", "d_k"),
        Stage.KEYS: _projected(key, ("k", memory, "W^K"), "key", "d_k"),
        Stage.VALUES: _projected(value, ("v", memory, "W^V"), "key", "d_v"),
        Stage.PRODUCTS: (
            products,
            Panel(f"q{compared}", steps.compared_QE, "query", "d_k"),
            Panel(f"k{compared}ᵀ", transposed, "d_k", "key"),
        ),
        Stage.SCALE: (scores if distance_QK is None else divided, products),
        Stage.MASK: (masked, scores),
        Stage.SOFTMAX: (weights, masked),
        Stage.MIX: (mixed, weights, v),
        Stage.CONCATENATE: (
            Panel("heads", steps.concatenated_QX, "query", "heads × d_v"),
            mixed,
        ),
        Stage.OUTPUT: (
            Panel("added", steps.added_QD, "query", "d_model"),
            mixed,
            Panel("W^O", steps.output_HED[steps.head.index], "d_v", "d_model"),
            Panel("term", steps.term_QD, "query", "d_model"),
        ),
    }
    if distance_QK is not None:
        bias_of_distance = Panel("B", distance_QK, "query", "key")
        found[Stage.POSITION_BIAS] = (scores, unbiased, bias_of_distance)
    for each, (made, symbol, given_KE, rows) in turned.items():
        if made is not None:
            turned_panel = Panel(f"{symbol}′", made.made_KE, rows, "d_k")
            found[each] = (turned_panel, Panel(symbol, given_KE, rows, "d_k"))
    if stage not in found:
        raise ValueError(f"nothing is known of the stage {stage}")
    return found[stage]


def bias(steps: HeadSteps, stage: Stage) -> Panel | None:
    """Return what is added to every row of a stage's result, as a matrix of one row."""
    if not steps.has_bias:
        return None
    found: Mapping[Stage, Panel] = {
        Stage.QUERIES: Panel("b^Q", steps.query.bias_E[None], "bias", "d_k"),
        Stage.KEYS: Panel("b^K", steps.key.bias_E[None], "bias", "d_k"),
        Stage.VALUES: Panel("b^V", steps.value.bias_E[None], "bias", "d_v"),
        Stage.OUTPUT: Panel("b^O", steps.output_bias_D[None], "bias", "d_model"),
    }
    return found.get(stage)


def _projected(
    projection: Projection, names: tuple[str, str, str], rows: Axis, width: Axis
) -> tuple[Panel, ...]:
    made, given, weight = names
    return (
        Panel(made, projection.made_KE, rows, width),
        Panel(given, projection.given_KD, rows, "d_model"),
        Panel(weight, projection.weight_DE, "d_model", width),
    )


def telling_pair(steps: HeadSteps) -> tuple[int, int]:
    """Return the query and the key with the head's largest weight, not a position with itself.

    Nor is it a decoder's first key, as in `pairs_of_words`, where a third position is there.
    """
    weights_QK = steps.weights_QK.copy()
    if steps.head.kind.causal and len(weights_QK) > 2:
        weights_QK[:, 0] = -1
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
