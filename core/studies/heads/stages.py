"""The stages of one attention head: matrices that go in and come out, and the terms of a number.

Q query positions, K key positions, H heads, E width of one head, D model width, X the heads' widths
one after the other, N terms of a sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...describe.formulas import Stage
from ...messages import Message
from ..cells import Table, stacked
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


# ---- how one number of a stage came about


Rule = Literal["sum", "quotient", "plus", "mask", "share", "copy"]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """One number of a stage's result, and the numbers that it was made of, in float64."""

    rule: Rule
    """sum: left times right, added up, and a bias. quotient: left divided by right. plus: left and
    right added. mask: left where right is 1, else −∞. share: left are scores, right is e to the
    power of each (less the row's largest), terms are their shares. copy: left as it is."""
    names: tuple[str, str, str]
    """Of the number, of left and of right: `q[4, 7]`, `x[4]`, `W^Q[:, 7]`."""
    over: Axis
    """The axis that the terms run over."""
    places: range
    """Where on that axis the terms stand."""
    column: int
    """Of the number itself; in a row of shares, which of the terms it is."""
    left_N: Numbers
    right_N: Numbers
    recorded: float
    """The number as the model computed it, in float32."""
    bias: float | None = None
    """Added to the sum; None where a stage has none."""

    @property
    def terms_N(self) -> Numbers:
        """What the rule makes of left and right, number by number."""
        left_N, right_N = self.left_N, self.right_N
        match self.rule:
            case "sum":
                return left_N * right_N
            case "quotient":
                return left_N / right_N
            case "plus":
                return left_N + right_N
            case "mask":
                return np.where(right_N, left_N, -np.inf)
            case "share":
                return right_N / (right_N.sum() or 1.0)
        return left_N

    @property
    def sum(self) -> float:
        """All terms, without the bias."""
        return float(self.terms_N.sum())

    @property
    def total(self) -> float:
        """What the rule gives; `recorded` but for rounding."""
        at = self.column
        return float(self.terms_N[at]) if self.rule == "share" else self.sum + (self.bias or 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class StageNumbers:
    """All numbers of a stage, and how one number of its result came about."""

    steps: HeadSteps
    stage: Stage
    terms: Terms

    def table(self) -> Table:
        """Return one row for each number: of every matrix, the result first, and of the terms.

        Where a row or a column is a token and not a dimension, its text stands beside its number.
        """
        offset = bias(self.steps, self.stage)
        tables = [
            _cells(panel.name, panel.values, self._texts(panel.rows), self._texts(panel.columns))
            for panel in (*panels(self.steps, self.stage), *([] if offset is None else [offset]))
        ]
        made = self.terms
        texts = self._texts(made.over)
        values = np.stack([made.left_N, made.right_N, made.terms_N])
        # A file has the same names in every language.
        names = [*map(str, made.names[1:]), made.rule]
        columns = [texts[place] for place in made.places] if texts else []
        return stacked(*tables, _cells(f"terms:{made.names[0]}", values, names, columns))

    def _texts(self, axis: Axis) -> list[str]:
        """Return the texts of an axis of tokens; nothing for dimensions."""
        tokens = {"query": self.steps.queries, "key": self.steps.keys}.get(axis, ())
        return [token.text for token in tokens]


def stage_numbers(steps: HeadSteps, stage: Stage, row: int, column: int) -> StageNumbers:
    """Return all numbers of a stage, with the terms of one number of its result."""
    return StageNumbers(steps, stage, terms(steps, stage, row, column))


def terms(steps: HeadSteps, stage: Stage, row: int, column: int) -> Terms:
    """Return how one number of a stage's result came about."""
    made = panels(steps, stage)[0]
    recorded = float(made.values[row, column])
    at = f"[{row}, {column}]"
    name = f"{made.name}{at}"

    def single(rule: Rule, names: tuple[str, str], left: float, right: float) -> Terms:
        over: Axis = "heads × d_v" if rule == "copy" else "key"
        places = range(column, column + 1)
        left_N, right_N = np.array([[left], [right]], np.float64)
        return Terms(rule, (name, *names), over, places, column, left_N, right_N, recorded)

    match stage:
        case Stage.SCALE:
            return single(
                "quotient", (f"q·k{at}", "√d_k"), steps.products_QK[row, column], steps.divisor
            )
        case Stage.POSITION_BIAS:
            _, unbiased, distance = panels(steps, stage)
            values = (unbiased.values[row, column], distance.values[row, column])
            return single("plus", (f"{unbiased.name}{at}", f"B{at}"), *values)
        case Stage.TURNED_QUERIES | Stage.TURNED_KEYS:
            return _turned(steps, stage, row, column, name, recorded)
        case Stage.MASK:
            values = (steps.scores_QK[row, column], steps.visible_QK[row, column])
            return single("mask", (f"s{at}", f"visible{at}"), *values)
        case Stage.CONCATENATE:
            head, within = divmod(column, steps.d_v)
            cell = Message("{cell} of head {head}", cell=f"mixed[{row}, {within}]", head=head)
            return single("copy", (cell, ""), steps.mixed_QHE[row, head, within], 1.0)
        case Stage.SOFTMAX:
            scores_K = steps.masked_QK[row].astype(np.float64)
            # Less the largest, as every softmax is computed: none is too large.
            sees = np.isfinite(scores_K).any()
            powers_K = np.exp(scores_K - scores_K.max()) if sees else np.zeros_like(scores_K)
            names = (name, f"masked[{row}]", Message("power of e"))
            places = range(len(scores_K))
            return Terms("share", names, "key", places, column, scores_K, powers_K, recorded)
    return _product(steps, stage, row, column, name, recorded)


def largest(terms_N: Numbers, count: int) -> list[int]:
    """Return which terms are farthest from 0, the farthest first.

    >>> largest(np.array([0.5, -2.0, 1.0]), 2)
    [1, 2]
    """
    found: list[int] = np.argsort(-np.abs(terms_N), kind="stable")[:count].tolist()
    return found


def _cells(
    name: str, values: NDArray[np.floating[Any]], rows: Sequence[str], columns: Sequence[str]
) -> Table:
    """Return one row for each number of a matrix, with the texts of its row and column, if any."""
    at_rows, at_columns = np.indices(values.shape).reshape(2, -1).tolist()
    return {
        "matrix": [name] * values.size,
        "row": at_rows,
        "row_token": [rows[at] if rows else "" for at in at_rows],
        "column": at_columns,
        "column_token": [columns[at] if columns else "" for at in at_columns],
        "value": values.reshape(-1).tolist(),
    }


def _product(
    steps: HeadSteps, stage: Stage, row: int, column: int, name: str, recorded: float
) -> Terms:
    """Return a number of a product of two matrices: W^O has the rows of all heads."""
    _, left, right = panels(steps, stage)[:3]
    if stage is Stage.OUTPUT:
        whole_XD = steps.output_HED.reshape(-1, steps.output_HED.shape[2])
        left = Panel("heads", steps.concatenated_QX, "query", "heads × d_v")
        right = Panel("W^O", whole_XD, "heads × d_v", "d_model")
    offset = bias(steps, stage)
    left_N = left.values[row].astype(np.float64)
    return Terms(
        rule="sum",
        names=(name, f"{left.name}[{row}]", f"{right.name}[:, {column}]"),
        over=left.columns,
        places=range(len(left_N)),
        column=column,
        left_N=left_N,
        right_N=right.values[:, column].astype(np.float64),
        recorded=recorded,
        bias=None if offset is None else float(offset.values[0, column]),
    )


def _turned(
    steps: HeadSteps, stage: Stage, row: int, column: int, name: str, recorded: float
) -> Terms:
    """Return a number that is turned with the other one of its pair."""
    made = steps.turned_query if stage is Stage.TURNED_QUERIES else steps.turned_key
    given = panels(steps, stage)[1]
    assert made is not None
    pair, first, second = made.pair_of(column)
    cos, sin = float(made.cos_KN[row, pair]), float(made.sin_KN[row, pair])
    return Terms(
        rule="sum",
        names=(name, f"{given.name}[{row}]", f"R[{row}]"),
        over="d_k",
        places=range(first, second + 1, second - first),
        column=column,
        left_N=given.values[row, [first, second]].astype(np.float64),
        right_N=np.array([cos, -sin] if column == first else [sin, cos]),
        recorded=recorded,
    )
