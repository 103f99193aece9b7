"""The matrices of a stage, with titles, axes and scales."""

from collections.abc import Mapping
from typing import Literal, cast

import numpy as np

from core.analysis.head_stages import Axis as AxisName
from core.analysis.head_stages import Panel, Stage, panels
from core.analysis.head_steps import HeadSteps
from pages.explorer.looked import (
    Looked,
    key_labels,
    query_labels,
    side_of_keys,
    side_of_queries,
)
from pages.shared.text import _
from viz.matrices_view import Axis, Matrices, Matrix, numbered

Side = Literal["source", "target"]


def stage_matrices(
    looked: Looked, steps: HeadSteps, stage: Stage, cell: tuple[int, int]
) -> Matrices:
    """Return the matrices of a stage.

    Args:
        looked: Whose tokens they are.
        steps: Of the head.
        stage: One of them.
        cell: Row and column of the result that has a frame.
    """
    shown = panels(steps, stage)
    drawn = tuple(_drawn(looked, steps, stage, panel) for panel in shown)
    return Matrices(panels=drawn, selected=(len(drawn) - 1, *cell))


def axis_of(looked: Looked, steps: HeadSteps, name: AxisName) -> Axis:
    """Return an axis with its labels: tokens, or the numbers of a vector's dimensions."""
    inspection, kind = looked.opened.inspection, looked.kind
    if name == "query":
        title = (
            _("query: the word that looks") if kind == "encoder.self" else _("query: the word fed")
        )
        side = cast(Side, side_of_queries(kind))
        return Axis(name=title, labels=query_labels(inspection, kind), side=side)
    if name == "key":
        side = cast(Side, side_of_keys(kind))
        title = _("key: the word looked at")
        return Axis(name=title, labels=key_labels(inspection, kind), side=side)
    counts = {
        "d_model": (_("dimension of the model"), steps.query.given_KD.shape[1]),
        "d_k": (_("dimension of q and k"), steps.d_k),
        "d_v": (_("dimension of v"), steps.d_v),
        "heads × d_v": (_("dimension, head after head"), steps.n_heads * steps.d_v),
    }
    return numbered(*counts[name])


def named_cell(looked: Looked, steps: HeadSteps, stage: Stage, cell: tuple[int, int]) -> str:
    """Return which words, or which word and dimension, a cell of a stage's result is about."""
    made = panels(steps, stage)[-1]
    row, column = (
        axis_of(looked, steps, name).labels[at].text
        for name, at in zip((made.rows, made.columns), cell, strict=True)
    )
    if made.columns == "key":
        return f"{row} → {column}"
    return _("{word}, dimension {n}").format(word=row, n=column)


_ON_ONE_SCALE: Mapping[Stage, frozenset[str]] = {
    Stage.SCALE: frozenset({"q·k", "s"}),
    Stage.MASK: frozenset({"s", "masked"}),
    Stage.CONCATENATE: frozenset({"mixed", "heads"}),
    Stage.OUTPUT: frozenset({"term", "added"}),
}
"""Panels of a stage whose colours mean the same, so that they can be compared."""


def _drawn(looked: Looked, steps: HeadSteps, stage: Stage, panel: Panel) -> Matrix:
    weights = panel.name == "w"
    masked = panel.name == "masked"
    hides = (masked or weights) and not steps.visible_QK.all()
    # Hidden scores are −∞, which no colour stands for: the scores before the mask lie below.
    values = steps.scores_QK if masked else panel.values
    return Matrix(
        title=_title(steps, stage, panel),
        values=values,
        rows=axis_of(looked, steps, panel.rows),
        columns=axis_of(looked, steps, panel.columns),
        visible=steps.visible_QK if hides else None,
        scale="weight" if weights else "signed",
        limit=1.0 if weights else _limit(steps, stage, panel),
        hidden_value="0" if weights else "-inf",
        value_name=_("weight") if weights else panel.name,
    )


def _limit(steps: HeadSteps, stage: Stage, panel: Panel) -> float:
    together = _ON_ONE_SCALE.get(stage, frozenset())
    compared = together if panel.name in together else {panel.name}
    values = [np.abs(each.values) for each in panels(steps, stage) if each.name in compared]
    return max(1e-6, *(float(each[np.isfinite(each)].max(initial=0.0)) for each in values))


def _title(steps: HeadSteps, stage: Stage, panel: Panel) -> str:
    last = panels(steps, stage)[-1].name == panel.name
    titles = {
        "x": _("x: what goes in"),
        "m": _("m: what the encoder made"),
        "q": _("q = x W^Q + b^Q") if last else _("q: the queries"),
        "k": _("k = {given} W^K + b^K"),
        "v": _("v = {given} W^V + b^V") if last else _("v: the values"),
        "kᵀ": _("kᵀ: the keys, one in each column"),
        "q·k": _("q·k: every query with every key"),
        "s": _("s = q·k / {root}"),
        "masked": _("masked = s + M"),
        "w": _("w = softmax(masked): the weights"),
        "mixed": _("mixed = w v: what head {head} takes"),
        "heads": _("All {n_heads} heads; head {head} from column {first} to {end}"),
        "W^O": _("W^O: the rows that read head {head}"),
        "term": _("term = mixed W^O: the share of head {head}"),
        "added": _("added: all heads' terms + b^O"),
    }
    first = steps.head * steps.d_v
    return titles.get(panel.name, _("{name} of head {head}")).format(
        name=panel.name,
        given="m" if steps.site.kind == "cross" else "x",
        root=f"{steps.divisor:.3g}",
        head=steps.head,
        n_heads=steps.n_heads,
        first=first,
        end=first + steps.d_v - 1,
    )
