"""The stages of one head: what happens in each, and its matrices with titles, axes and scales."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from core.studies.heads.stages import Axis as AxisName
from core.studies.heads.stages import Panel, Stage, panels
from core.studies.heads.steps import HeadSteps
from pages.frame.language import N_, _, n_, number
from pages.frame.selection import Selection, key_axis, query_axis
from pages.frame.texts import view_text
from viz.direction import isolated
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

FORMULAS: Mapping[Stage, str] = {
    Stage.QUERIES: "q",
    Stage.KEYS: "k",
    Stage.VALUES: "v",
    Stage.PRODUCTS: "q·k",
    Stage.SCALE: "÷ √d_k",
    Stage.TURNED_QUERIES: "q′",
    Stage.TURNED_KEYS: "k′",
    Stage.POSITION_BIAS: "+ B",
    Stage.MIX: "· v",
    Stage.OUTPUT: "W^O",
}
"""What stages are called, and were called in older links: all but those that words say better."""


def label(stage: Stage) -> str:
    """Return what a stage is called in a word or two."""
    return FORMULAS.get(stage) or _(_NAMES[stage])


def explained(steps: HeadSteps, stage: Stage) -> str:
    """Return what happens in a stage, in a sentence or two."""
    hides = stage is Stage.MASK and not steps.visible_QK.all()
    first = steps.head.index * steps.d_v
    texts = view_text("attention", "steps").sections
    return texts["mask that hides" if hides else stage].format(
        given=_given(steps, stage),
        d_model=steps.query.given_KD.shape[1],
        d_k=steps.d_k,
        d_v=steps.d_v,
        root=number(steps.divisor, padded=False),
        head=steps.head.index,
        n_heads=steps.n_heads,
        first=first,
        last=first + steps.d_v - 1,
    )


def _given(steps: HeadSteps, stage: Stage) -> str:
    if steps.memory_symbol == "m" and stage in (Stage.KEYS, Stage.VALUES):
        return _("what the encoder made of each source word, m")
    if steps.norm:
        return _("each word's vector x, the stream after {norm}").format(norm=steps.norm)
    return _("each word's vector x, as the stream brings it")


def stage_matrices(
    selected: Selection,
    steps: HeadSteps,
    stage: Stage,
    cell: tuple[int, int] | None,
    *,
    result_only: bool = False,
) -> Matrices:
    """Return the matrices of a stage.

    Args:
        selected: Whose tokens they are.
        steps: Of the head.
        stage: One of them.
        cell: Row and column of the result that has a frame; None for no frame.
        result_only: Whether what goes in is left out; then the cells have their numbers in them.
    """
    drawn = [_drawn(selected, steps, stage, panel) for panel in panels(steps, stage)]
    if result_only:
        drawn = [_with_numbers(drawn[0])]
    return Matrices(panels=drawn, selected=cell and (0, *cell))


def _with_numbers(matrix: Matrix) -> Matrix:
    digits = 2 if matrix.scale == "weight" else None
    texts = [[number(float(value), digits) for value in row] for row in matrix.values]
    # The numbers are seen already: the tooltip need not write them again.
    return replace(matrix, texts=texts, details=[[""] * len(row) for row in texts])


def axis_of(selected: Selection, steps: HeadSteps, name: AxisName) -> Axis:
    """Return an axis with its labels: tokens, or the numbers of a vector's dimensions."""
    inspection, kind = selected.opened.inspection, selected.kind
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


def named_cell(selected: Selection, steps: HeadSteps, stage: Stage, cell: tuple[int, int]) -> str:
    """Return which words, or which word and dimension, a cell of a stage's result is about."""
    row, column = map(isolated, named_row_and_column(selected, steps, stage, cell))
    return f"{row} → {column}" if panels(steps, stage)[0].columns == "key" else f"{row}, {column}"


def named_row_and_column(
    selected: Selection, steps: HeadSteps, stage: Stage, cell: tuple[int, int]
) -> tuple[str, str]:
    """Return the words, or the word and the dimension, of a cell of a stage's result."""
    made = panels(steps, stage)[0]
    row, column = (
        axis_of(selected, steps, name).labels[at].text
        for name, at in zip((made.rows, made.columns), cell, strict=True)
    )
    if made.columns == "key":
        return row, column
    return row, _("dimension {n}").format(n=column)


_ON_ONE_SCALE: Mapping[Stage, frozenset[str]] = {
    Stage.SCALE: frozenset({"q·k", "s"}),
    Stage.POSITION_BIAS: frozenset({"q·k", "s", "B"}),
    Stage.TURNED_QUERIES: frozenset({"q", "q′"}),
    Stage.TURNED_KEYS: frozenset({"k", "k′"}),
    Stage.MASK: frozenset({"s", "masked"}),
    Stage.CONCATENATE: frozenset({"mixed", "heads"}),
    Stage.OUTPUT: frozenset({"term", "added"}),
}
"""Panels of a stage whose colours mean the same, so that they can be compared."""


_SCALED = N_("In the colours of q·k, so that one sees how much smaller the numbers are.")


def _drawn(selected: Selection, steps: HeadSteps, stage: Stage, panel: Panel) -> Matrix:
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
        rows=axis_of(selected, steps, panel.rows),
        columns=axis_of(selected, steps, panel.columns),
        visible=steps.visible_QK if hides else None,
        scale="weight" if weights else "signed",
        limit=1.0 if weights else _limit(steps, stage, panel),
        value_name=_("weight")
        if weights
        else _("score")
        if masked and not hides
        else _("head output")
        if panel.name == "mixed"
        else panel.name,
        note=_(_SCALED) if stage is Stage.SCALE and made else "",
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
        "q": _("q = x W^Q{b_q}") if made else _("q: the queries"),
        "q′": _("q′: the queries, turned"),
        "k": _("k = {given} W^K{b_k}") if made else _("k: the keys"),
        "k′": _("k′: the keys, turned"),
        "v": _("v = {given} W^V{b_v}") if made else _("v: the values"),
        "kᵀ": _("kᵀ: the keys, one in each column"),
        "k′ᵀ": _("k′ᵀ: the turned keys, one in each column"),
        "B": _("B: what each distance adds"),
        "q·k": _("q·k: every query with every key"),
        "s": _("s = q·k / {root}") if steps.position_bias_QK is None else _("s = q·k + B"),
        "masked": _("s + M: the scores after the mask"),
        "w": _("w = softmax(scores): the weights"),
        "mixed": _("w v: the output of head {head}"),
        "heads": n_(
            "All {n_heads} head; head {head} from column {first} to {end}",
            "All {n_heads} heads; head {head} from column {first} to {end}",
            steps.n_heads,
        ),
        "W^O": _("W^O: the rows that read head {head}"),
        "term": _("head output · W^O: the share of head {head}"),
        "added": _("added: all heads' terms{b_o}"),
    }
    biases = {f"b_{each.lower()}": f" + b^{each}" if steps.has_bias else "" for each in "QKVO"}
    first = steps.head.index * steps.d_v
    return titles.get(panel.name, _("{name} of head {head}")).format(
        **biases,
        name=panel.name,
        given=steps.memory_symbol,
        root=number(steps.divisor, padded=False),
        head=steps.head.index,
        n_heads=steps.n_heads,
        first=first,
        end=first + steps.d_v - 1,
    )


_NAMES: Mapping[Stage, str] = {
    Stage.MASK: N_("mask"),
    Stage.SOFTMAX: N_("softmax"),
    Stage.CONCATENATE: N_("concatenate"),
}
