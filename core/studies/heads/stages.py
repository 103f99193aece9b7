"""The stages of one attention head, each with the matrices that go in and come out.

Q query positions, K key positions, E width of one head, D model width.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.describe.formulas import Stage
from core.studies.heads.steps import HeadSteps, Projection, Turned, Values

__all__ = ["Axis", "Panel", "Stage", "bias", "matrices", "panels"]

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
    """Return the matrices of a stage: first what comes out, then what goes in.

    Raises:
        ValueError: No matrices are known for such a stage.
    """
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


def matrices(steps: HeadSteps, stage: Stage) -> dict[str, Values]:
    """Return all numbers of a stage: name → matrix, what comes out first, the bias last."""
    added = bias(steps, stage)
    shown = (*panels(steps, stage), *([] if added is None else [added]))
    return {panel.name: panel.values for panel in shown}


def _projected(
    projection: Projection, names: tuple[str, str, str], rows: Axis, width: Axis
) -> tuple[Panel, ...]:
    made, given, weight = names
    return (
        Panel(made, projection.made_KE, rows, width),
        Panel(given, projection.given_KD, rows, "d_model"),
        Panel(weight, projection.weight_DE, "d_model", width),
    )
