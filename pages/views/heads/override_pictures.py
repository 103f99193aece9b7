"""The pictures of the view "override": a map, a row of it before and after, and probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.effects.weight_shift import StepChange
from pages.frame import notes
from pages.frame.selection import (
    Looked,
    key_labels,
    query_labels,
)
from pages.frame.text import _
from viz.charts.frames import runs_table
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """A row of a head, and where its weight goes."""

    looked: Looked
    row: int
    key: int

    @property
    def weights_K(self) -> NDArray[np.float32]:
        """The row as it is."""
        return self.looked.weights_QK[self.row]


def map_of(shown: Moved) -> Matrices:
    """Return the head's map, the cell framed to which weight is moved."""
    looked = shown.looked
    rows = Axis(
        name=_("query: the word that looks"),
        labels=query_labels(looked.inspection, looked.kind),
        side=looked.kind.query_side,
        differs=(shown.row,),
    )
    panel = Matrix(
        title=notes.site_and_head(looked.head),
        values=looked.weights_QK,
        visible=looked.attention.visible_QK,
        rows=rows,
        columns=_keys(looked),
        note=_("Choose a cell: its row is made to look there. The chosen row is underlined."),
        value_name=_("weight"),
    )
    return Matrices(panels=[panel], selected=(0, shown.row, shown.key))


def before_and_after_of(shown: Moved, after_K: NDArray[np.float32]) -> Matrices:
    """Return the row as it is, and as it is made."""
    looked, row = shown.looked, shown.row
    label = query_labels(looked.inspection, looked.kind)[row]
    panel = Matrix(
        title=_("The row of “{row}”, before and after").format(row=label.text),
        values=np.stack([shown.weights_K, after_K]),
        visible=np.stack([looked.attention.visible_QK[row]] * 2),
        rows=Axis(name=_("row"), labels=(TokenLabel(_("before")), TokenLabel(_("after")))),
        columns=_keys(looked),
        value_name=_("weight"),
    )
    return Matrices(panels=[panel], selected=(0, 1, shown.key))


def _keys(looked: Looked) -> Axis:
    return Axis(
        name=_("key: the word looked at"),
        labels=key_labels(looked.inspection, looked.kind),
        side=looked.kind.key_side,
    )


def chances(changes: Sequence[StepChange]) -> None:
    """Show how probable the tokens of the changed steps are, before and after."""
    rows = [line for change in changes for line in _lines(change)]
    # As narrow as to be seen whole beside the map in a narrow window.
    of = {_("before"): _("p before"), _("after"): _("p after")}
    share = partial(
        st.column_config.ProgressColumn, min_value=0.0, max_value=1.0, format="%.3f", width=80
    )
    st.dataframe(
        runs_table(rows),
        hide_index=True,
        column_config={
            name: share(label, help=_("Probability, after the same words."))
            for name, label in of.items()
        },
    )


def columns_of(changes: Sequence[StepChange]) -> dict[str, list[object]]:
    """Return one row for each step that changes."""
    return {
        "step": [each.step for each in changes],
        "token": [each.token.text for each in changes],
        "before": [each.before for each in changes],
        "after": [each.after for each in changes],
        "most probable after": [(each.other or each.token).text for each in changes],
        "its probability before": [each.other_before for each in changes],
        "its probability after": [each.other_after for each in changes],
    }


def _lines(change: StepChange) -> list[dict[str, object]]:
    """Return the token that was written, and the one that takes its place."""
    shown = [(change.token, change.before, change.after)]
    if change.other is not None:
        shown.append((change.other, change.other_before, change.other_after))
    return [
        {
            _("step, token"): f"{change.step} {token.text}",
            _("before"): before,
            _("after"): after,
        }
        for token, before, after in shown
    ]
