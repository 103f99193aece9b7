"""The matrices of a stage, with titles, axes and scales."""

from collections.abc import Mapping

import numpy as np

from core.analysis.heads.stages import Axis as AxisName
from core.analysis.heads.stages import Panel, Stage, panels
from core.analysis.heads.steps import HeadSteps
from pages.frame.selection import Looked, key_axis, query_axis
from pages.frame.text import _
from viz.plane.matrices import Axis, Matrices, Matrix, numbered


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
    return Matrices(panels=drawn, selected=(0, *cell))


def axis_of(looked: Looked, steps: HeadSteps, name: AxisName) -> Axis:
    """Return an axis with its labels: tokens, or the numbers of a vector's dimensions."""
    inspection, kind = looked.opened.inspection, looked.kind
    if name == "query":
        return query_axis(inspection, kind)
    if name == "key":
        return key_axis(inspection, kind)
    counts = {
        "d_model": (_("dimension of the model"), steps.query.given_KD.shape[1]),
        "d_k": (_("dimension of q and k"), steps.d_k),
        "d_v": (_("dimension of v"), steps.d_v),
        "heads × d_v": (_("dimension, head after head"), steps.n_heads * steps.d_v),
    }
    return numbered(*counts[name])


def named_cell(looked: Looked, steps: HeadSteps, stage: Stage, cell: tuple[int, int]) -> str:
    """Return which words, or which word and dimension, a cell of a stage's result is about."""
    made = panels(steps, stage)[0]
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


_SCALED = _("In the colours of q·k, so that one sees how much smaller the numbers are.")


def _drawn(looked: Looked, steps: HeadSteps, stage: Stage, panel: Panel) -> Matrix:
    weights = panel.name == "w"
    masked = panel.name == "masked"
    hides = (masked or weights) and not steps.visible_QK.all()
    # Hidden scores are −∞, which no colour stands for: the scores before the mask lie below.
    values = steps.scores_QK if masked else panel.values
    made = panels(steps, stage)[0].name == panel.name
    title = _title(steps, panel, made)
    return Matrix(
        title=_("Result: {title}").format(title=title) if made else title,
        values=values,
        rows=axis_of(looked, steps, panel.rows),
        columns=axis_of(looked, steps, panel.columns),
        visible=steps.visible_QK if hides else None,
        scale="weight" if weights else "signed",
        limit=1.0 if weights else _limit(steps, stage, panel),
        hidden_value="0" if weights else "-inf",
        value_name=_("weight") if weights else panel.name,
        note=_SCALED if stage is Stage.SCALE and made else "",
    )


def _limit(steps: HeadSteps, stage: Stage, panel: Panel) -> float:
    together = _ON_ONE_SCALE.get(stage, frozenset())
    compared = together if panel.name in together else {panel.name}
    values = [np.abs(each.values) for each in panels(steps, stage) if each.name in compared]
    return max(1e-6, *(float(each[np.isfinite(each)].max(initial=0.0)) for each in values))


def _title(steps: HeadSteps, panel: Panel, made: bool) -> str:
    titles = {
        "x": _("x: what goes in"),
        "m": _("m: what the encoder made"),
        "q": _("q = x W^Q + b^Q") if made else _("q: the queries"),
        "k": _("k = {given} W^K + b^K"),
        "v": _("v = {given} W^V + b^V") if made else _("v: the values"),
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
    first = steps.head.index * steps.d_v
    return titles.get(panel.name, _("{name} of head {head}")).format(
        name=panel.name,
        given=steps.memory_symbol,
        root=f"{steps.divisor:.3g}",
        head=steps.head.index,
        n_heads=steps.n_heads,
        first=first,
        end=first + steps.d_v - 1,
    )
