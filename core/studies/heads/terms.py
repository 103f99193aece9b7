"""How one number of a head's stage came about, term by term.

K key positions, H heads, E width of one head, D model width, X the heads' widths one after the
other, N terms of a sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...messages import Message
from ..cells import Table, stacked
from .stages import Axis, Panel, Stage, bias, panels
from .steps import HeadSteps

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
