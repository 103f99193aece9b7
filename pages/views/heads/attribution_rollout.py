"""What attention passes on from layer to layer, if weights were all there is."""

from typing import cast

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.attribution.rollout import (
    StackRollout,
    mixing,
    rollout,
    seen_fairly,
    stack_rollout,
)
from core.heads import Stack
from core.inspection import Inspection
from core.runs.run import Run
from pages.frame import cached, lesson
from pages.frame import lesson_controls as lesson_controls
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.lesson import Explanation
from pages.frame.maps import labels
from pages.frame.opening import Opened
from pages.frame.text import _
from viz.charts.bars import bars
from viz.charts.curves import Quantity
from viz.plane.matrices import Axis, Matrices, Matrix

MAPS = "rollout_maps"


def ask() -> Stack:
    """Ask for a stack."""
    return lesson_controls.stack("rollout_stack", "encoder")


def draw(opened: Opened, stack: Stack) -> None:
    """Draw the rollout of a stack's self-attention after each of its layers."""
    found = cached.of_run(_rolled, opened.path, opened.sentence, stack)
    axis = _axis(opened.inspection, stack)
    matrices(
        Matrices(
            panels=[
                _map(found, layer, axis, hides=stack == "decoder")
                for layer in range(len(found.rolled_LQK))
            ]
        ),
        key=MAPS,
    )
    st.caption(
        _(
            "Half of each position goes on as it is, the other half is the mean over the layer’s "
            "heads of self-attention. Values, W^O, cross-attention and feed-forward layers are "
            "left out: a hypothesis, too."
        )
    )
    if stack == "decoder":
        _draw_seen(opened, found)
    lesson.numbers(f"rollout_{stack}", _numbers(found.rolled_LQK, opened.inspection, stack))
    lesson.explained(
        Explanation(
            formula=r"\tilde A_l = \tfrac12 \cdot \tfrac1H \textstyle\sum_h A_{l,h} + "
            r"\tfrac12 I, \qquad R_l = \tilde A_l \, \tilde A_{l-1} \cdots \tilde A_0",
            tries=(
                _("Follow one row upwards: after each layer it holds more of the other tokens."),
                _(
                    "In the decoder every row sees BOS: divided by how many rows can see a token, "
                    "is it still the one that is seen most?"
                ),
            ),
            code=(stack_rollout, rollout, mixing, seen_fairly),
        )
    )


def _rolled(run: Run, sentence: str, stack: Stack) -> StackRollout:
    return stack_rollout(cached.inspected(run.path, sentence, whole_words=False), stack)


def _axis(inspection: Inspection, stack: Stack) -> Axis:
    if stack == "encoder":
        found = labels(inspection.source_tokens, inspection.unknown_words)
        return Axis(name=_("source token"), labels=found, side="source")
    return Axis(name=_("word fed"), labels=labels(inspection.fed_tokens), side="target")


def _map(found: StackRollout, layer: int, axis: Axis, *, hides: bool) -> Matrix:
    return Matrix(
        title=_("After layer {layer}: how much of each token is in each position").format(
            layer=layer
        ),
        values=found.rolled_LQK[layer].astype(np.float32),
        rows=Axis(name=_("position"), labels=axis.labels, side=axis.side),
        columns=axis,
        visible=np.ascontiguousarray(found.visible_QK) if hides else None,
        value_name=_("share"),
    )


def _draw_seen(opened: Opened, found: StackRollout) -> None:
    """Draw how much is seen of each token by the rows that can see it."""
    names = [token.text for token in opened.inspection.fed_tokens]
    chart(
        bars(
            {
                _("mean over all rows"): cast(list[float], found.seen_K.tolist()),
                _("mean over the rows that can see it"): cast(
                    list[float], found.seen_fairly_K.tolist()
                ),
            },
            names,
            value=Quantity(_("share of the token in the last layer’s positions"), share=True),
            title=_("Early tokens are seen by more rows, and seem to matter more"),
        )
    )
    st.caption(
        _(
            "Divided so, a late token is a mean over few rows, the last one over its own alone, "
            "which holds much of itself: read the right end with care."
        )
    )


def _numbers(
    rolled_LQK: NDArray[np.float64], inspection: Inspection, stack: Stack
) -> dict[str, list[object]]:
    tokens = inspection.source_tokens if stack == "encoder" else inspection.fed_tokens
    texts = np.array([token.text for token in tokens], dtype=object)
    layer, row, column = (each.reshape(-1) for each in np.indices(rolled_LQK.shape))
    return {
        "layer": layer.tolist(),
        "position": row.tolist(),
        "position_token": texts[row].tolist(),
        "token": column.tolist(),
        "token_text": texts[column].tolist(),
        "share": rolled_LQK.reshape(-1).tolist(),
    }
